"""Photos in their container: made once, overwritten only by the app, removed in every form; and claimed by one task."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from azure.storage.blob import ContainerClient

from shared.domain import identity
from shared.domain.errors import DependencyDown
from shared.domain.names import PHOTO_CONTAINER
from shared.domain.photo import Photo
from shared.domain.record import Record, State
from shared.domain.task import Task
from shared.services.sweep_uploads import sweep_uploads
from shared.storage.account import Account
from shared.storage.connections import StorageConnections
from shared.storage.photo_claims import SWEEPER, PhotoClaims
from shared.storage.photos import Found, PhotoStore, Upload
from shared.storage.pointers import Pointer, Pointers
from shared.storage.tasks import TaskStore
from tests.support.stores import Stores
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

DAYS = timedelta(days=9)


@pytest.fixture(scope="module")
def emulator() -> Iterator[Azurite]:
    """One for this file, whose tests look at all that is there."""
    with Azurite() as running:
        yield running


@pytest.fixture
def there(emulator: Azurite) -> ContainerClient:
    """The container, seen past the app."""
    return ContainerClient.from_connection_string(emulator.connection_string, PHOTO_CONTAINER)


@pytest.fixture
async def account(emulator: Azurite) -> AsyncIterator[tuple[Account, Wire]]:
    """With nothing in it."""
    with Stores(emulator.connection_string) as stores:
        stores.remove_all()
    with Wire(emulator) as wire:
        connections = StorageConnections.resolve({"FixItStorage": wire.connection_string}, "FixItStorage")
        opened = Account(connections)
        yield opened, wire
        await opened.close()


@pytest.fixture
def store(account: tuple[Account, Wire]) -> PhotoStore:
    return PhotoStore(account[0])


async def kept(store: PhotoStore, photo: str, extension: str = "jpg") -> None:
    await store.keep(
        photo, original=b"o", clean=b"c", extension=extension, clean_type=f"image/{extension}", thumbnail=b"t"
    )


async def test_missing_container_is_made_and_nobody_sees_it_without_a_link(
    store: PhotoStore, there: ContainerClient
) -> None:
    photo = identity.new_photo()
    assert await store.put_incoming(photo, b"bytes", "image/jpeg")
    assert there.get_container_properties().public_access is None
    assert [blob.name for blob in there.list_blobs()] == [f"incoming/{photo}"]


CALLS: dict[str, Callable[[PhotoStore], Awaitable[object]]] = {
    "size_of": lambda store: store.size_of("a" * 32),
    "read": lambda store: store.read("a" * 32, most=1),
    "drop_incoming": lambda store: store.drop_incoming("a" * 32),
    "remove": lambda store: store.remove("a" * 32),
    "uploads": lambda store: store.uploads(limit=1),
}


@pytest.mark.parametrize("call", CALLS)
async def test_every_call_makes_a_missing_container(store: PhotoStore, there: ContainerClient, call: str) -> None:
    assert await CALLS[call](store) in (None, ([], None))
    assert there.exists()
    await store.make()  # and again is harmless


async def test_upload_is_never_overwritten(store: PhotoStore) -> None:
    photo = identity.new_photo()
    assert [await store.put_incoming(photo, data, "image/png") for data in (b"first", b"other")] == [True, False]
    assert await store.read(photo, most=100) == b"first"


async def test_upload_whose_answer_was_lost_is_there_and_said_to_be(
    store: PhotoStore, account: tuple[Account, Wire]
) -> None:
    await store.make()
    account[1].fail(service="blob", op="put", cut=True, after=True)
    photo = identity.new_photo()
    assert not await store.put_incoming(photo, b"bytes", "image/png")  # the SDK's own second try met the first
    assert await store.read(photo, most=100) == b"bytes"


async def test_size_is_known_before_anything_is_read_and_no_more_is_read_than_asked_for(
    store: PhotoStore, account: tuple[Account, Wire]
) -> None:  # BS-07
    photo = identity.new_photo()
    await store.put_incoming(photo, bytes(900_000), "image/jpeg")
    account[1].clear()
    assert await store.size_of(photo) == Found(where="incoming", size=900_000)
    assert [request.method for request in account[1].requests] == ["HEAD"]
    assert len(await store.read(photo, most=1_000) or b"") == 1_000


async def test_empty_upload_is_read_as_empty(store: PhotoStore) -> None:
    photo = identity.new_photo()
    await store.put_incoming(photo, b"", "image/jpeg")
    assert (await store.size_of(photo), await store.read(photo, most=10)) == (Found(where="incoming", size=0), b"")


async def test_original_stands_in_for_an_upload_that_is_gone(store: PhotoStore) -> None:
    photo = identity.new_photo()
    await store.put_incoming(photo, b"o", "image/jpeg")
    await kept(store, photo)
    await store.drop_incoming(photo)
    assert await store.size_of(photo) == Found(where="original", size=1)
    assert await store.read(photo, most=10) == b"o"


async def test_what_is_shown_says_what_it_is_and_is_kept_by_no_cache_between(
    store: PhotoStore, there: ContainerClient
) -> None:
    photo = identity.new_photo()
    await kept(store, photo)
    settings = {blob.name.removeprefix(photo): blob.content_settings for blob in there.list_blobs()}
    told = {form: (each.content_type, each.content_disposition, each.cache_control) for form, each in settings.items()}
    assert told == {
        "": ("application/octet-stream", "attachment", "no-store"),
        "_clean.jpg": ("image/jpg", 'inline; filename="photo.jpg"', "private, max-age=86400"),
        "_thumb.jpg": ("image/jpeg", 'inline; filename="thumbnail.jpg"', "private, max-age=86400"),
    }


async def test_remove_takes_every_form_and_nothing_of_another_photo(store: PhotoStore, there: ContainerClient) -> None:
    photo, other = (f"{end:032x}" for end in (0xA1, 0xA2))
    for each in (photo, other):
        await store.put_incoming(each, b"o", "image/jpeg")
        await kept(store, each)
        await kept(store, each, "png")
    await store.remove(photo)
    await store.remove(photo)
    left = {blob.name for blob in there.list_blobs()}
    assert left == {f"incoming/{other}", other, f"{other}_clean.jpg", f"{other}_clean.png", f"{other}_thumb.jpg"}


@pytest.mark.parametrize("photo", ["", "../x", "A" * 32, "a" * 31, "a" * 33, "a" * 32 + "\n"], ids=range(6))
async def test_no_blob_is_named_by_anything_but_a_photo(store: PhotoStore, photo: str) -> None:  # BN-01
    for call in (store.put_incoming(photo, b"", ""), store.size_of(photo), store.remove(photo), kept(store, photo)):
        with pytest.raises(ValueError, match="no photo"):
            await call
    with pytest.raises(ValueError, match="no extension"):
        await kept(store, "a" * 32, "jpg/../../x")


async def test_store_that_refuses_is_down(store: PhotoStore, account: tuple[Account, Wire]) -> None:
    account[1].fail(service="blob", status=403, code="AuthorizationFailure", times=None)
    photo = identity.new_photo()
    for call in (
        store.make(),
        store.put_incoming(photo, b"", "image/gif"),
        store.size_of(photo),
        store.read(photo, most=1),
        kept(store, photo),
        store.remove(photo),
        store.uploads(limit=1),
    ):
        with pytest.raises(DependencyDown):
            await call


async def test_first_claim_wins_and_a_repeat_finds_its_own(account: tuple[Account, Wire]) -> None:
    claims, photo = PhotoClaims(account[0]), identity.new_photo()
    assert await claims.holder(photo) is None
    got = await asyncio.gather(*(claims.claim(photo, f"task-{number}") for number in range(5)))
    assert len(set(got)) == 1
    assert await claims.claim(photo, "late") == await claims.holder(photo) == got[0]
    assert await claims.claim(photo, got[0]) == got[0]


async def test_claim_whose_answer_was_lost_is_found_as_ones_own(account: tuple[Account, Wire]) -> None:
    claims, photo = PhotoClaims(account[0]), identity.new_photo()
    await claims.claim(identity.new_photo(), "first")  # makes the table
    account[1].fail(service="table", op="insert", cut=True, after=True)
    with pytest.raises(DependencyDown):
        await claims.claim(photo, "mine")
    assert await claims.claim(photo, "mine") == "mine"


# The sweeper.


def record(task_id: str, state: State, result: Photo | None = None) -> Record:
    return Record(
        id=task_id,
        task=Task(title="t"),
        caller="key",
        fingerprint="f",
        submitted_at=datetime(2026, 1, 1, tzinfo=UTC),
        state=state,
        photo=result,
    )


async def sweep(opened: Account, *, before: timedelta = DAYS, seconds: float = 20) -> None:
    """A run at a time at which all that is there now is older than it has to be."""
    await sweep_uploads(
        photos=PhotoStore(opened),
        claims=PhotoClaims(opened),
        tasks=TaskStore(opened),
        pointers=Pointers(opened),
        now=datetime.now(UTC) + DAYS + timedelta(seconds=10),
        older_than=before,
        seconds=seconds,
    )


async def uploads(store: PhotoStore) -> set[str]:
    found, _ = await store.uploads(limit=100)
    return {each.photo for each in found}


async def test_sweeper_removes_what_no_task_came_for_and_no_task_can_have_it_then(
    store: PhotoStore, account: tuple[Account, Wire], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "fixit")
    photo, claims = identity.new_photo(), PhotoClaims(account[0])
    await store.put_incoming(photo, b"x", "image/gif")
    await sweep(account[0], before=DAYS + timedelta(hours=1))  # it is younger
    assert await uploads(store) == {photo}
    await sweep(account[0])
    assert await uploads(store) == set()
    assert await claims.claim(photo, "task") == SWEEPER
    assert '"removed": 1, "kept": 0, "foreign": 0, "failed": 0, "leftOver": false' in caplog.messages[-1]


async def test_sweeper_keeps_the_upload_of_a_task_that_is_on_its_way_and_no_other(
    store: PhotoStore, account: tuple[Account, Wire]
) -> None:
    claims, tasks = PhotoClaims(account[0]), TaskStore(account[0])
    ready = Photo(state="ready", extension="jpg")
    wanted = set()
    states: tuple[tuple[State, Photo | None, bool], ...] = (
        ("processing", None, True),
        ("queued", None, True),
        ("processing", ready, False),
        ("succeeded", ready, False),
        ("failed", None, False),
        ("cancelled", None, False),
    )
    for state, result, is_kept in states:
        task_id, photo = str(uuid.uuid4()), identity.new_photo()
        await tasks.create(record(task_id, state, result))
        await store.put_incoming(photo, b"x", "image/gif")
        await claims.claim(photo, task_id)
        if is_kept:
            wanted.add(photo)
    orphan = identity.new_photo()
    await claims.claim(orphan, str(uuid.uuid4()))  # its task's row is gone
    await store.put_incoming(orphan, b"x", "image/gif")
    await sweep(account[0])
    assert await uploads(store) == wanted


async def test_sweeper_leaves_what_has_none_of_our_names(
    store: PhotoStore, account: tuple[Account, Wire], there: ContainerClient
) -> None:
    await store.make()
    there.upload_blob("incoming/readme.txt", b"x")
    await sweep(account[0])
    assert [blob.name for blob in there.list_blobs()] == ["incoming/readme.txt"]
    found, _ = await store.uploads(limit=5)
    assert [replace(each, uploaded_at=DATE) for each in found] == [Upload(photo="", uploaded_at=DATE)]


DATE = datetime(2026, 1, 1, tzinfo=UTC)


async def test_sweeper_that_was_cut_short_goes_on_behind_the_page_that_it_began(
    store: PhotoStore, account: tuple[Account, Wire], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.services.sweep_uploads.PAGE", 2)
    opened, wire = account
    photos = sorted(identity.new_photo() for _ in range(6))
    for photo in photos:
        await store.put_incoming(photo, b"x", "image/gif")
    await PhotoClaims(opened).claim(identity.new_photo(), "x")
    stuck = wire.hold(service="table", op="insert", times=None)
    await sweep(opened, seconds=1)
    stuck.release()
    wire.heal()
    bookmark = await Pointers(opened).bookmark("uploads")
    assert isinstance(bookmark, Pointer)
    await sweep(opened)
    assert await uploads(store) == set(photos[:2])
    assert await Pointers(opened).bookmark("uploads") is None
    await sweep(opened)
    assert await uploads(store) == set()


async def test_sweeper_never_raises_and_says_what_is_wrong(
    store: PhotoStore, account: tuple[Account, Wire], caplog: pytest.LogCaptureFixture
) -> None:
    await store.put_incoming(identity.new_photo(), b"x", "image/gif")
    account[1].fail(service="table", op="insert", status=503, code="ServerBusy", times=None)
    await sweep(account[0])
    assert '"failed": 1' in caplog.messages[-1] and "storage answered 503" in caplog.messages[-1]
    account[1].fail(service="blob", status=503, code="ServerBusy", times=None)
    await sweep(account[0])
    assert '"leftOver": true' in caplog.messages[-1]
