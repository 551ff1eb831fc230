"""Every error of the product that somebody is meant to understand.

FixItError
  CallerError         the caller can mend it; answered as a 4xx problem
    InvalidRequest    400  not JSON, not an object, a header or query parameter out of its limits
    InvalidTask       400  a field of the task out of its limits
      UnknownOwner    422  with FIXIT_DIRECTORY=required: the owner is not in the directory
    InvalidPerson     400  a field of an entry of the directory out of its limits
    UnsupportedMedia  415
    TaskTooLarge      413
    BatchTooLarge     413
    BodyTooLarge      413  of what is neither a task nor a batch
    KeyReused         422  the idempotency key stands for another task
    SignInNeeded      401  with FIXIT_AUTH=easyauth: nobody is signed in, or nobody of a tenant that is let in
    NotAllowed        403  the caller sees the thing, and may not do this with it
    StaleForm         403  a form that this app did not show to this person, or too long ago
    CrossSite         403  with FIXIT_AUTH=easyauth: another site's page sent it
    NotFound          404
      UnknownPerson   404  not in the directory
      UnknownTask     404  no row, or none that the caller may see
    NotAcceptable     406  none of the media types that the client takes can be served
    NotFailed         409  only a failed task can be tried again
    CannotRetry       409  its message cannot be made anew from its row
    CannotEdit        409  what was cancelled stays as it is
    NoCallback        409  a task without callbackUrl has none to be made again
    StaleEdit         412  the task changed since the version that the edit is for
    IfMatchNeeded     428  an edit must say for which version it is
  HopelessMessage     no delivery of this message can ever succeed: dead letter at once
  DependencyDown      storage cannot be used now; the same call may succeed later
  NotKnownAccepted    503  the put was not acknowledged; sending again with the same key is safe
  NotSent           503  there was no time left for a task of a batch; nothing of it was queued
  Reversed            504  a two-state call ran out of time, and the task was cancelled
  NotKnownCancelled   503  the command to cancel was not acknowledged; the same request again is safe
  NotKnownChanged     503  an edit was not brought to its end; the same request again is safe
  NotKnownReopened    503  a retry was not brought to its end; the same request again goes on with it
  NotKnownWritten     503  a write of the directory was not acknowledged; the same request again is safe
  CannotReopen        a dead letter cannot be redriven as it is; it stays as it is
  PhotoRejected       what was uploaded cannot be a task's photo; the task goes on without it
  Undeliverable       a notice can never be delivered as it is
  TryLater            a notice was not delivered; its own schedule says when it is tried again
  OutcomeUnknown      a notice was perhaps delivered
  StepFailed          raised in a queue trigger: the platform counts the delivery and tries again
  SettingsError       500  the app is not configured; the log says which setting

`code` is stable: clients and dead letters may rely on it. The text is for people and may change.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FieldError:
    """What is wrong with one field: its name, and a sentence with the limit and the way out."""

    field: str
    message: str


class FixItError(Exception):
    """Base of all; `code` names the kind."""

    code = "error"


class CallerError(FixItError):
    """The request cannot be taken as it is; nothing was queued."""

    status = 400
    title = "The request cannot be taken"

    def __init__(self, detail: str, *, code: str | None = None, errors: Sequence[FieldError] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or type(self).code
        self.errors = tuple(errors)


class InvalidRequest(CallerError):
    code = "invalid_request"
    title = "The request is malformed"


class InvalidTask(CallerError):
    code = "invalid_task"
    title = "The task breaks a rule"


class UnknownOwner(InvalidTask):
    code = "unknown_owner"
    status = 422
    title = "The owner is not in the directory"

    def __init__(self) -> None:
        rule = "must be somebody who is in the directory"
        super().__init__(f"owner {rule}.", errors=[FieldError("owner", rule)])


class InvalidPerson(CallerError):
    code = "invalid_person"
    title = "The entry breaks a rule"


class UnsupportedMedia(CallerError):
    code = "unsupported_media_type"
    status = 415
    title = "The content type is not supported"


class TaskTooLarge(CallerError):
    code = "task_too_large"
    status = 413
    title = "The task is too large"


class BatchTooLarge(CallerError):
    code = "batch_too_large"
    status = 413
    title = "The batch is too large"


class BodyTooLarge(CallerError):
    code = "body_too_large"
    status = 413
    title = "The body is too large"


class KeyReused(CallerError):
    code = "idempotency_key_reused"
    status = 422
    title = "The key stands for another task"

    def __init__(self) -> None:
        super().__init__("This Idempotency-Key was used for another task; nothing was queued. Use a new key.")


class SignInNeeded(CallerError):
    code = "sign_in_needed"
    status = 401
    title = "Nobody is signed in"

    def __init__(self) -> None:
        super().__init__("Sign in first: this app knows people by the platform's authentication.")


class NotAllowed(CallerError):
    code = "not_allowed"
    status = 403
    title = "This is not yours to do"


class StaleForm(CallerError):
    code = "stale_form"
    status = 403
    title = "This form cannot be sent any more"

    def __init__(self) -> None:
        super().__init__(
            "It was shown more than a day ago, or not to you. Nothing was done; look at it and send it anew."
        )


class CrossSite(CallerError):
    code = "cross_site"
    status = 403
    title = "The request came from another site"

    def __init__(self) -> None:
        super().__init__("A page of another site may not act for who is signed in here. Use this app's own pages.")


class NotAcceptable(CallerError):
    code = "not_acceptable"
    status = 406
    title = "The answer cannot be of that type"


class NotFound(CallerError):
    code = "not_found"
    status = 404
    title = "There is no such thing"


class UnknownPerson(NotFound):
    code = "unknown_person"

    def __init__(self) -> None:
        super().__init__("Nobody of that name is in the directory; names are compared exactly.")


class UnknownTask(NotFound):
    code = "unknown_task"

    def __init__(self) -> None:
        super().__init__("No such task is recorded (yet). Submitting it again with the same key is safe.")


class NotFailed(CallerError):
    code = "not_failed"
    status = 409
    title = "The task has not failed"

    def __init__(self, state: str) -> None:
        super().__init__(f"The task is {state}; only a failed one can be tried again.")


class CannotRetry(CallerError):
    code = "cannot_retry"
    status = 409
    title = "The task cannot be tried again"


class CannotEdit(CallerError):
    code = "cannot_edit"
    status = 409
    title = "The task cannot be changed"

    def __init__(self) -> None:
        super().__init__("The task was cancelled; it stays as it is.")


class NoCallback(CallerError):
    """The task asks for no callbacks, or the app makes none."""

    status = 409
    code = "no_callback"
    title = "There is no callback to make again"

    def __init__(self, detail: str = "It was submitted without a callbackUrl.") -> None:
        super().__init__(detail)


class StaleEdit(CallerError):
    code = "stale_edit"
    status = 412
    title = "The task was changed meanwhile"

    def __init__(self) -> None:
        super().__init__(
            "Somebody else changed it: If-Match does not name it as it is now. Read it again and edit what it says."
        )


class IfMatchNeeded(CallerError):
    code = "precondition_required"
    status = 428
    title = "An If-Match is needed"

    def __init__(self) -> None:
        super().__init__("Send If-Match with the ETag of the task as you read it, so that nobody's change is lost.")


class HopelessMessage(FixItError):
    """No delivery of the message can succeed. `code` becomes the class of its dead letter, the text its reason."""

    def __init__(self, reason: str, *, code: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code


class DependencyDown(FixItError):
    """A store did not do what was asked, and may do it later. What was asked may have happened all the same."""

    code = "dependency_down"


class Unsure(FixItError):
    """A request was not brought to its end as asked; answered with its task's id and its key, where it has them.

    The text is for the log, `title` and `detail` for the caller.
    """

    status = 503
    title = ""
    detail = ""

    def __init__(self, text: str, task_id: str = "", key: str = "") -> None:
        super().__init__(text)
        self.task_id = task_id
        self.key = key


class NotKnownAccepted(Unsure):
    """The queue did not acknowledge the put in time; it may have landed. The same key makes a repeat safe."""

    code = "not_known_accepted"
    title = "Not known to be accepted"
    detail = (
        "The queue did not acknowledge the task in time. Send it again with this Idempotency-Key: "
        "if it did arrive, it is still done once."
    )

    def __init__(self, task_id: str, key: str) -> None:
        super().__init__("the queue did not acknowledge the task", task_id, key)


class NotSent(Unsure):
    """There was no time left for a task of a batch: its put was not begun."""

    code = "not_sent"
    title = "Not sent"
    detail = "There was no time left for it in this batch; nothing of it was queued. Send it again with this key."

    def __init__(self, task_id: str, key: str) -> None:
        super().__init__("there was no time left for the task", task_id, key)


class Reversed(Unsure):
    """A two-state call ran out of time, and its task was cancelled. The key stays used: a new one is a new task."""

    code = "reversed"
    status = 504
    title = "Not done in time, and reversed"
    detail = (
        "The task was cancelled: whatever was done of it is undone, and it is not done later. "
        "Its key stays used; to try again, send it with a new one."
    )

    def __init__(self, task_id: str, key: str) -> None:
        super().__init__("the task was reversed", task_id, key)


class NotKnownCancelled(Unsure):
    """Neither was the command to cancel acknowledged, nor could the row be set. The same request again is safe.

    `key` is that of a two-state call, else empty.
    """

    code = "not_known_cancelled"
    title = "Not known to be cancelled"

    def __init__(self, task_id: str, key: str = "") -> None:
        super().__init__("the task is not known to be cancelled", task_id, key)
        self.detail = (
            "The queue did not acknowledge the command to cancel the task in time. "
            f"Send the same request again{', with this Idempotency-Key' if key else ''}: that is safe."
        )


class NotKnownChanged(Unsure):
    """An edit was begun, and is perhaps done, or will be. The same request again is safe."""

    code = "not_known_changed"
    title = "Not known to be changed"
    detail = (
        "Storage did not do its part in time. Send the same request again, with the same If-Match: "
        "if the edit did arrive, it is still done once (with * over whatever came meanwhile)."
    )

    def __init__(self, task_id: str) -> None:
        super().__init__("an edit was not brought to its end", task_id)


class NotKnownReopened(Unsure):
    """A retry was begun and perhaps not brought to its end. The same request again goes on with it."""

    code = "not_known_reopened"
    title = "Not known to be queued again"
    detail = "Storage did not do its part in time. Send the same request again: it goes on where this one ended."

    def __init__(self, task_id: str) -> None:
        super().__init__("a retry was not brought to its end", task_id)


class NotKnownWritten(Unsure):
    """A write of the directory was begun, and is perhaps done. The same request again is safe."""

    code = "not_known_written"
    title = "Not known to be written"
    detail = "Storage did not do its part in time, and may have done it all the same. Send the same request again."

    def __init__(self) -> None:
        super().__init__("a write of the directory was not acknowledged")


class CannotReopen(FixItError):
    """A dead letter cannot be redriven as it is; nothing was changed. `code` and the text tell an operator why."""

    def __init__(self, reason: str, *, code: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code


class PhotoRejected(FixItError):
    """What was uploaded cannot be a task's photo. `code` and the text tell its sender why, with the limit."""

    def __init__(self, reason: str, *, code: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code


class Undeliverable(FixItError):
    """A notice can never be delivered as it is. `is_target_bad`: nor can any other to the same target."""

    def __init__(self, reason: str, *, code: str, is_target_bad: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code
        self.is_target_bad = is_target_bad


class TryLater(FixItError):
    """A notice was surely not delivered, and may be later. `after`: in how many seconds, where its receiver said so."""

    code = "try_later"

    def __init__(self, reason: str, *, after: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.after = after


class OutcomeUnknown(FixItError):
    """A notice was handed over, and nothing was heard of it. `operation`, if there is one, names it to its provider."""

    code = "outcome_unknown"

    def __init__(self, reason: str, *, operation: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.operation = operation


class StepFailed(FixItError):
    """A step failed in a way that nobody foresaw; the platform counts the delivery. Names the kind of error alone."""

    code = "step_failed"


class SettingsError(FixItError):
    """Settings are missing or wrong; the text names every one of them, never a value."""

    code = "not_configured"


def told(error: BaseException) -> str:
    """What a log may say of an error: our own text, of any other error its kind alone, since it may quote anything."""
    return f"{error}" if isinstance(error, FixItError) else type(error).__name__
