"""The part of the demo that goes on behind the record step: a photo, a mail and a callback."""

import io
import json
import tempfile
from collections.abc import Callable
from email import policy
from email.parser import BytesParser
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from PIL import Image
from standardwebhooks.webhooks import Webhook

from tools.dev.demo_calls import call, exchange, follow, wait_for
from tools.dev.demo_receiver import DemoReceiver
from tools.dev.problem import Problem

TASK = {"title": "The tap in room 7 drips", "createdBy": "Ann", "contact": "ann@example.com"}
KEY = "whsec_dGhlIGtleSBvZiB0aGUgZGVtbywgYW5kIG9mIG5vdGhpbmcgZWxzZQ=="


class Targets:
    """Where the mail and the callback of the demo arrive."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.outbox = Path(self._folder.name)
        self.receiver = DemoReceiver()

    @property
    def settings(self) -> dict[str, str]:
        """What the app needs to reach them."""
        return {
            "FIXIT_OUTBOX": str(self.outbox),
            "FIXIT_CALLBACK_KEYS": KEY,
            "FIXIT_CALLBACK_ALLOW": self.receiver.place,
            "SSL_CERT_FILE": self.receiver.ca_file,
        }

    def __enter__(self) -> Self:
        self.receiver.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.receiver.__exit__(kind, error, trace)
        self._folder.cleanup()


def tell_of_photo(url: str, targets: Targets, show: Callable[[str], None], *, number: int) -> dict[str, Any]:
    """Upload a photo, submit a task that names it, and wait for all that follows. What happened, as data."""
    show(f"{number}  POST /api/photos  for a link that takes one photo")
    offer = call(f"{url}/api/photos", {"name": "tap.jpg", "type": "image/jpeg"})
    upload = offer["upload"]
    picture = _picture()
    exchange(upload["method"], upload["url"], picture, upload["headers"])
    show(f"   a JPEG of {len(picture):,} bytes goes straight to the storage")
    task = {**TASK, "photoId": offer["photoId"], "photoName": "tap.jpg"}
    task["callbackUrl"] = f"https://{targets.receiver.place}/done"
    show(f"   POST /api/fixits  {json.dumps(TASK)}")
    accepted = call(f"{url}/api/fixits", task)
    states = list(follow(url + accepted["links"]["receipt"], show))
    shown = call(url + accepted["links"]["task"])
    photo = shown["photo"]
    if states[-1] != "succeeded" or photo is None or photo["state"] != "ready":
        raise Problem(f"The photo did not end well: the task is {states[-1]}, its photo {photo}.")
    with Image.open(io.BytesIO(exchange("GET", url + photo["links"]["thumbnail"]))) as thumbnail:
        show(f"   its photo is ready: {photo['width']} x {photo['height']}, the thumbnail {thumbnail.size}")
    mail = wait_for(lambda: next(targets.outbox.glob("*.eml"), None), "mail")
    message = BytesParser(policy=policy.default).parsebytes(mail.read_bytes())
    show(f"   a mail to {message['To']}: {message['Subject']}")

    def ended() -> tuple[dict[str, str], bytes] | None:
        return next((each for each in list(targets.receiver.received) if b'"succeeded"' in each[1]), None)

    headers, body = wait_for(ended, "callback")
    event = Webhook(KEY).verify(body, headers)
    show(f"   a callback, whose signature is right: {event['type']}")
    return {
        "states": states,
        "task": shown,
        "mail": {"to": message["To"], "subject": message["Subject"]},
        "callback": event,
    }


def _picture() -> bytes:
    kept = io.BytesIO()
    Image.linear_gradient("L").resize((1200, 900)).convert("RGB").save(kept, "JPEG", quality=85)
    return kept.getvalue()
