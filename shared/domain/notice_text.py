"""What a notice says: subject and text of a mail, and the few words of an SMS."""

from collections.abc import Mapping
from typing import Any, Literal

from shared.domain.plain_text import one_line, shorten, utf16_units

Kind = Literal["assigned", "settled", "photo_rejected"]

_TITLE_MAX = 80
_SMS_TITLE_MAX = 48
"""UTF-16 units: with the id of the task the longest SMS is of two parts, in whatever script."""

_REASON_MAX = 1_000

_SUBJECTS = {
    "assigned": "Assigned to you: {title}",
    "succeeded": "Recorded: {title}",
    "failed": "Not done: {title}",
    "cancelled": "Cancelled: {title}",
    "photo_rejected": "Photo not taken: {title}",
}
_SENTENCES = {
    "assigned": "the task {title} has been assigned to you.",
    "succeeded": "your task {title} has been recorded.",
    "failed": "your task {title} has failed.",
    "cancelled": "your task {title} has been cancelled.",
    "photo_rejected": "the photo of your task {title} was not taken. The task itself goes on without it.",
}
_SHORT = {
    "assigned": "{title} is assigned to you.",
    "succeeded": "{title} is recorded.",
    "failed": "{title} has failed.",
    "cancelled": "{title} is cancelled.",
    "photo_rejected": "the photo of {title} was not taken.",
}


def subject_and_text(kind: Kind, task: Mapping[str, Any]) -> tuple[str, str]:
    """Of a mail about a task as a snapshot says it: `id`, `title`, `state`, `submittedAt`, `error`, `photo`.

    The subject is one line of at most 200 characters. Whatever somebody wrote stands in one line of its own, quoted,
    without characters that could turn or hide what follows.
    """
    about = _about(kind, task)
    title = _title(task)
    lines = ["Hello,", "", _SENTENCES[about].format(title=f"“{title}”")]
    if reason := _reason(about, task):
        lines += ["", f"Reason: {reason}"]
    lines += ["", f"Task: {_line(task, 'id')}"]
    if submitted := _line(task, "submittedAt"):
        lines.append(f"Submitted: {submitted}")
    lines += ["", "Fix-It sent this by itself. Nobody reads answers to it."]
    return _SUBJECTS[about].format(title=title), "\n".join(lines) + "\n"


def short_text(kind: Kind, task: Mapping[str, Any]) -> str:
    """Of an SMS about the same: one line, which fits two parts in any script."""
    title = shorten(_title(task), _SMS_TITLE_MAX, size=utf16_units, end="...")
    said = _SHORT[_about(kind, task)].format(title=f'"{title}"')
    return f"Fix-It: {said} Task {_line(task, 'id')}"


def _about(kind: Kind, task: Mapping[str, Any]) -> str:
    """What the notice is about: of a settled task, its outcome."""
    return _line(task, "state") if kind == "settled" else kind


def _title(task: Mapping[str, Any]) -> str:
    return shorten(_line(task, "title"), _TITLE_MAX)


def _reason(about: str, task: Mapping[str, Any]) -> str:
    """Why, in one line, with the code that documents know it by; nothing where there is no reason to tell."""
    found, text = {"failed": ("error", "message"), "photo_rejected": ("photo", "reason")}.get(about, ("", ""))
    why = task.get(found) or {}
    reason, code = shorten(_line(why, text), _REASON_MAX), _line(why, "code")
    return f"{reason} ({code})" if reason and code else reason or code


def _line(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return one_line(value) if isinstance(value, str) else ""
