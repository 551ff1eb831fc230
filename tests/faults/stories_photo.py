"""Tasks with a photo: uploaded before or after the submit, refused, taken, missing, cancelled, tried again."""

import asyncio
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from shared.domain import identity
from shared.domain.names import PHOTO_CONTAINER, PHOTO_QUEUE, POISON_SUFFIX, TASK_QUEUE
from shared.domain.photo_id import sign_photo_id
from shared.services.sweep_uploads import sweep_uploads
from shared.storage.account import Account
from shared.storage.connections import StorageConnections
from shared.storage.photo_claims import PhotoClaims
from shared.storage.photos import PhotoStore
from shared.storage.pointers import Pointers
from shared.storage.tasks import TaskStore
from tests.faults.careful import ask
from tests.faults.stories_reopen import order
from tests.faults.story import KEY, TASK_ID, unheard
from tests.faults.telling import Tale, Telling
from tests.support.dead_letters import only_letter, only_task
from tests.support.eventually import eventually
from tests.support.fixit_app import QUICK
from tests.support.pictures import halves, jpeg
from tests.support.raw_messages import cancelled, submitted

PHOTO = uuid.uuid4().hex
PICTURE = jpeg(halves(40, 30))
NO_PICTURE = b"no picture"
BOUNDARY = "boundary"


def photo_id(photo: str = PHOTO, caller: str = identity.KEY_CALLER) -> str:
    """The id that the app gave for a photo an hour ago: so long an upload is waited for no more than once."""
    keys = [QUICK["FIXIT_RECEIPT_KEYS"].encode()]
    return sign_photo_id(photo, caller, now=datetime.now(UTC) - timedelta(hours=1), keys=keys)


EVENT = submitted(KEY, photoId=photo_id())
STRANGERS = submitted(KEY, photoId=photo_id(caller="person:a:b"))


def upload(told: Telling, data: bytes = PICTURE) -> None:
    told.stores.put_blob(f"incoming/{PHOTO}", data)


def submit(told: Telling) -> None:
    told.stores.put(EVENT)


def upload_garbage(told: Telling) -> None:
    upload(told, NO_PICTURE)


def _taken(told: Telling) -> None:
    """Another task has the photo, and all of it is there."""
    upload(told)
    told.stores.put(submitted("other", photoId=photo_id()))
    told.idle()


def _submit_then_upload(told: Telling) -> None:
    """The photo comes between the first look and the second."""
    submit(told)
    eventually(lambda: len(told.wire.of(op="put", target=PHOTO_QUEUE)) >= 2, what="the end of the first look")
    upload(told)


def _ready(told: Telling) -> None:
    upload(told)
    submit(told)
    told.idle()


def _cancel(told: Telling) -> None:
    """A careful client cancels; its command is taken from the queue once it has an answer."""
    with unheard(told):
        answer = ask(told, "DELETE", f"/api/fixits/{TASK_ID}")
        assert answer.status in (200, 202), answer


def _cancel_by_command(told: Telling) -> None:
    told.stores.put(cancelled(KEY))


def _cancel_while_waiting(told: Telling) -> None:
    """It is cancelled between the two looks for its upload, which comes just then."""
    submit(told)
    eventually(lambda: len(told.wire.of(op="put", target=PHOTO_QUEUE)) >= 2, what="the end of the first look")
    upload(told)
    told.stores.put(cancelled(KEY))


def _cancel_while_kept(told: Telling) -> None:
    """It is cancelled while the step keeps the photo, and goes on behind the command."""
    held = told.wire.hold(op="put", service="blob", target=PHOTO_CONTAINER, nth=2)
    submit(told)
    eventually(lambda: held.hits or told.stores.is_idle(), what="the request to hold")
    told.stores.put(cancelled(KEY))
    eventually(lambda: told.stores.waiting(TASK_QUEUE) == 0, what="the end of the command")
    held.release()


def _given_up(told: Telling) -> None:
    """The platform gave up the message of the step: the task failed, and has a letter."""
    upload(told)
    looking = told.wire.hold(op="get", service="queue", target=PHOTO_QUEUE, times=None)
    looking.wait_hit()
    submit(told)
    photos = told.stores.queue(PHOTO_QUEUE)
    message = eventually(photos.receive_message, what="the message of the step")
    eventually(lambda: told.stores.waiting(TASK_QUEUE) == 0, what="the end of the record step")
    told.stores.put(message.content, PHOTO_QUEUE + POISON_SUFFIX)
    photos.delete_message(message)
    looking.release()
    told.idle()
    assert (only_task(told)["state"], only_letter(told)["class"]) == ("failed", "given_up")


def _is_cancelled(told: Telling) -> None:
    row = only_task(told)
    assert (row["state"], told.stores.photos(), told.stores.letters()) == ("cancelled", {}, [])


def _is_ready(told: Telling) -> None:
    row = only_task(told)
    assert (row["state"], row["photoState"], told.stores.letters()) == ("succeeded", "ready", [])
    assert told.stores.photos()[PHOTO] == PICTURE


def _goes_on(photo: str, code: str) -> Callable[[Telling], None]:
    """The task goes on without its photo, and says why."""

    def check(told: Telling) -> None:
        row = told.stores.task(TASK_ID)
        assert row is not None
        assert (row["state"], row["photoState"], row["photoCode"]) == ("succeeded", photo, code)
        assert told.stores.letters() == []

    return check


def _is_tried_again(told: Telling) -> None:
    row, letter = only_task(told), only_letter(told)
    assert (row["state"], row["photoState"], row["redrives"]) == ("succeeded", "ready", 1)
    assert (letter["state"], letter["redrives"]) == ("redriven", 1)


def _is_forgotten(told: Telling) -> None:
    """The photo of another task is all there, and this one says that it is not its."""
    _goes_on("taken", "photo_taken")(told)
    assert {row["photoState"] for row in told.stores.tasks()} == {"ready", "taken"}


def _submit_together(told: Telling) -> None:
    """A careful client sends task and photo in one request."""
    head = f"--{BOUNDARY}\r\nContent-Disposition: form-data; name="
    title = f'{head}"title"\r\n\r\nTap drips\r\n'
    photo = f'{head}"photo"; filename="tap.jpg"\r\nContent-Type: image/jpeg\r\n\r\n'
    body = f"{title}{photo}".encode() + PICTURE + f"\r\n--{BOUNDARY}--\r\n".encode()
    form = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    answer = ask(told, "POST", "/api/fixits", body, key=KEY, headers=form)
    assert answer.status == 202, answer


def _came_together(told: Telling) -> None:
    """It is ready. Where the request was made again once the photo was looked at, the sweeper removes the upload."""
    row = only_task(told)
    assert (row["state"], row["photoState"], told.stores.letters()) == ("succeeded", "ready", [])
    asyncio.run(_sweep(told.storage.connection_string))


async def _sweep(connection_string: str) -> None:
    account = Account(StorageConnections.resolve({"FixItStorage": connection_string}, "FixItStorage"))
    try:
        await sweep_uploads(
            photos=PhotoStore(account),
            claims=PhotoClaims(account),
            tasks=TaskStore(account),
            pointers=Pointers(account),
            now=datetime.now(UTC) + timedelta(days=9),
            older_than=timedelta(days=8),
            seconds=10,
        )
    finally:
        await account.close()


TALES: dict[str, Tale] = {
    "submit with a photo": Tale(act=_submit_together, requests=17, check=_came_together),
    "photo": Tale(before=upload, act=submit, requests=14, check=_is_ready),
    "photo that comes later": Tale(act=_submit_then_upload, requests=20, check=_is_ready),
    "photo that is none": Tale(
        before=upload_garbage, act=submit, requests=12, check=_goes_on("rejected", "photo_unsupported")
    ),
    "photo of somebody else": Tale(
        act=lambda told: told.stores.put(STRANGERS), requests=8, check=_goes_on("rejected", "photo_unknown")
    ),
    "photo that is taken": Tale(before=_taken, act=submit, requests=9, check=_is_forgotten),
    "photo that never comes": Tale(act=submit, requests=16, check=_goes_on("missing", "photo_missing")),
    "cancel with a photo": Tale(before=_ready, act=_cancel, requests=12, check=_is_cancelled),
    "cancel with a photo by its command": Tale(before=_ready, act=_cancel_by_command, requests=10, check=_is_cancelled),
    "cancel before the photo": Tale(act=_cancel_while_waiting, requests=21, check=_is_cancelled),
    "cancel while the photo is kept": Tale(before=upload, act=_cancel_while_kept, requests=27, check=_is_cancelled),
    "redrive of a photo": Tale(before=_given_up, act=order("redrive"), requests=17, check=_is_tried_again),
}
