"""What states, steps and failures are called where people read of them."""

from collections.abc import Mapping

STATES: Mapping[str, str] = {
    "accepted": "accepted",
    "queued": "waiting",
    "processing": "under way",
    "succeeded": "recorded",
    "failed": "failed",
    "cancelled": "cancelled",
}

STEPS: Mapping[str, str] = {
    "record": "Recorded",
    "photo": "Photo looked at",
    "cancel": "Cancelled",
}

FAILURES: Mapping[str, str] = {
    "invalid_task": "It breaks a rule of what a task may be.",
    "idempotency_conflict": "The same form was sent before with other words, and that task counts. "
    "To have this one done too, send it by a new form.",
    "given_up": "We tried several times, and it did not succeed. It is kept, and our operators can see it.",
    "gave_up": "It was not done in the time that there is for it. It is kept, and our operators can see it.",
    "unknown_owner": "Whoever should do it is not in the directory. Once they are, it can be tried again.",
    "never_recorded": "It was accepted and never recorded. Please send it again.",
}
"""By the failure's code. What has no words of its own is told as the failure tells it."""
