"""The product with every channel on: mails and texts as files, callbacks to a real receiver, answers on a queue."""

import base64
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path
from typing import Any

from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.receiver import Received, reply
from tests.support.receiving import RunningReceiver

KEYS = (
    "whsec_b25lIG9mIHRoZSBrZXlzIG9mIHRoZSB0ZXN0cywgbm90aGluZyBtb3Jl",
    "whsec_YW5vdGhlciBrZXkgb2YgdGhlIHRlc3RzLCB0byByb3RhdGUgdG8h",
)
ANSWERS = "answers"


@dataclass(frozen=True)
class Telling:
    """The product, where its callbacks arrive, and the folder of its mails."""

    fixit: FixIt
    receiver: RunningReceiver
    outbox: Path

    def fresh(self) -> None:
        """Nothing was told yet, and the receiver takes everything."""
        self.receiver.behave(reply())
        self.fixit.fresh()
        for file in self.outbox.iterdir():
            file.unlink()
        self.fixit.stores.queue(ANSWERS).clear_messages()
        self.receiver.behave(reply())

    def mails(self) -> list[EmailMessage]:
        """Every mail, read by a library that is not ours."""
        parser = BytesParser(policy=policy.default)
        files = sorted(self.outbox.glob("*.eml"))
        return [message for file in files if isinstance(message := parser.parsebytes(file.read_bytes()), EmailMessage)]

    def texts(self) -> list[str]:
        """Every SMS, as it lies in its file."""
        return [file.read_text("utf-8") for file in sorted(self.outbox.iterdir()) if file.suffix != ".eml"]

    def callbacks(self, task_id: str) -> list[Received]:
        """What the receiver got about a task, in its order."""
        return [request for request in self.receiver.requests if data_of(request)["data"]["id"] == task_id]

    def wait_callbacks(self, task_id: str, count: int, timeout: float = 30) -> list[Received]:
        """The same, once there are so many."""

        def look() -> list[Received] | None:
            found = self.callbacks(task_id)
            return found if len(found) >= count else None

        return eventually(look, timeout, what=f"{count} callbacks")

    def answers(self) -> list[dict[str, Any]]:
        """What lies on the reply queue."""
        messages = self.fixit.stores.queue(ANSWERS).peek_messages(max_messages=32)
        return [json.loads(base64.b64decode(message.content, validate=True)) for message in messages]

    def notices(self, task_id: str, **wanted: str) -> list[dict[str, Any]]:
        """The notices of a task that are of a kind, a channel or a state, as the app shows them."""
        answer = self.fixit.get(f"/api/fixits/{task_id}/notices")
        assert answer.status == 200, answer
        found: list[dict[str, Any]] = answer.json["notices"]
        return [each for each in found if all(each[name] == value for name, value in wanted.items())]

    def knows(self, person: str, *, email: str = "", phone: str = "") -> None:
        """Somebody is in the directory."""
        body = json.dumps({"email": email or None, "phone": phone or None}).encode()
        answer = self.fixit.request("PUT", f"/api/people/{person}", body, {"Content-Type": "application/json"})
        assert answer.status == 200, answer


def data_of(request: Received) -> dict[str, Any]:
    """The body of a callback."""
    body: dict[str, Any] = json.loads(request.body)
    return body


@contextmanager
def telling(**settings: str) -> Iterator[Telling]:
    """Running; the waits between tries are a second at least, and little more."""
    with tempfile.TemporaryDirectory(prefix="fixit-outbox-") as folder, RunningReceiver() as receiver:
        ours = {
            "FIXIT_OUTBOX": folder,
            "FIXIT_MAIL_FROM": "fixit@example.com",
            "FIXIT_CALLBACK_KEYS": ",".join(KEYS),
            "FIXIT_CALLBACK_ALLOW": receiver.place,
            "FIXIT_CALLBACK_SCALE": "0.00001",
            "FIXIT_CALLBACK_SECONDS": "2",
            "FIXIT_REPLY_QUEUES": ANSWERS,
            "SSL_CERT_FILE": receiver.ca_file,
        }
        with FixIt(settings={**ours, **settings}) as fixit:
            fixit.stores.queue(ANSWERS).create_queue()
            yield Telling(fixit, receiver, Path(folder))
