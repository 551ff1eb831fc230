"""How ids are made: derived, so that a repeat makes the same one and no store is asked."""

import hashlib
import uuid

TASK_NAMESPACE = uuid.UUID("6f0f8b2c-6c39-5a3e-9a51-0c6c1f0e7d11")
EVENT_NAMESPACE = uuid.UUID("0d4f4f0c-1a36-5a0e-8b53-5b1c9a7c2e42")

KEY_CALLER = "key"
"""The caller of every request in key mode: services with function keys share one namespace of idempotency keys."""


PERSON_CALLER = "person:"
"""What the caller of a person who is signed in begins with; `tid:oid` follows. Each is a namespace of its own."""


def is_person(caller: str) -> bool:
    """Whether a caller is a person who was signed in, and not a service."""
    return caller.startswith(PERSON_CALLER)


def queue_caller(queue: str) -> str:
    """The caller of a bare task that another producer put on a queue."""
    return f"queue:{queue}"


def caller_digest(caller: str) -> bytes:
    """Eight bytes that stand for a caller where the caller itself is not to be read: in a receipt."""
    return hashlib.sha256(caller.encode()).digest()[:8]


def task_id(caller: str, key: str) -> str:
    """UUIDv5 of caller and idempotency key, joined by a line feed (neither can hold one). Guessable, never a secret."""
    return str(uuid.uuid5(TASK_NAMESPACE, f"{caller}\n{key}"))


def submitted_event_id(task: str, fingerprint: str) -> str:
    """The id of the event "this task, with this content, was submitted": constant across every copy of it."""
    return str(uuid.uuid5(EVENT_NAMESPACE, f"submitted\n{task}\n{fingerprint}"))


def step_event_id(task: str, step: str) -> str:
    """The id of the event "this task is at this step": constant across every copy of it."""
    return str(uuid.uuid5(EVENT_NAMESPACE, f"step\n{task}\n{step}"))


def notice_event_id(task: str, *parts: str) -> str:
    """The id of a notice about a task; the parts tell it from the others of that task."""
    return str(uuid.uuid5(EVENT_NAMESPACE, "\n".join(("notice", task, *parts))))


def multipart_photo(task: str, digest: str) -> str:
    """The photo that comes with a task in one request, by the SHA-256 of its bytes: 32 hex digits."""
    return uuid.uuid5(EVENT_NAMESPACE, f"photo\n{task}\n{digest}").hex


def new_photo() -> str:
    """A photo that is to be uploaded: 32 hex digits that nobody can guess."""
    return uuid.uuid4().hex


def cancelled_event_id(task: str, person: str = "") -> str:
    """The id of the event "this task was cancelled": one for all services, and one for each person, operators too."""
    return str(uuid.uuid5(EVENT_NAMESPACE, f"cancelled\n{task}" + (f"\n{person}" if person else "")))


def edit_id(task: str, tag: str, patch: str) -> str:
    """The id of an edit: this patch (its canonical JSON) of the version of the task that has this tag.

    It holds the patch, so that of two edits of one version neither takes the other's stamp for its own.
    """
    return str(uuid.uuid5(EVENT_NAMESPACE, f"edited\n{task}\n{tag}\n{patch}"))


def new_key() -> str:
    """An idempotency key for a client that sent none."""
    return str(uuid.uuid4())
