"""What the evaluators of both templates say of what they do not know."""


class NotUnderstood(Exception):
    """A form, a function or a value that is not evaluated here. Never guessed at."""
