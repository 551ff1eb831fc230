"""What stands in the way, told to the person who can change it."""


class Problem(Exception):
    """One line: what is wrong and what to do about it. dev.py prints it and ends with status 1."""
