"""Links, as storage takes them: once to put, never to read; by the account's key and by an identity alike."""

import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from shared.domain import identity
from shared.domain.errors import DependencyDown, SettingsError
from shared.storage.account import Account
from shared.storage.connections import StorageConnections
from shared.storage.photo_links import PhotoLinks
from shared.storage.photo_names import incoming_name, thumbnail_name
from shared.storage.photos import PhotoStore
from tests.support.secure_emulator import SecureEmulator, hung_up, secure_emulator
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

MINUTES = {"upload_time": timedelta(minutes=15), "read_time": timedelta(minutes=10)}
Request = Callable[..., tuple[int, bytes]]
HEADERS = {"x-ms-blob-type": "BlockBlob", "Content-Type": "image/jpeg"}


def account_of(connection_string: str) -> Account:
    return Account(StorageConnections.resolve({"FixItStorage": connection_string}, "FixItStorage"))


@pytest.fixture(scope="module")
def secure() -> Iterator[SecureEmulator]:
    with secure_emulator() as running:
        yield running


@pytest.fixture(params=["account key", "identity"])
async def account(request: pytest.FixtureRequest) -> AsyncIterator[Account]:
    """The account in each of the two ways of signing in."""
    if request.param == "identity":
        opened = request.getfixturevalue("secure").account()
    else:
        opened = account_of(request.getfixturevalue("azurite").connection_string)
    yield opened
    await opened.close()
    await hung_up()


@pytest.fixture
def send(request: pytest.FixtureRequest) -> Request:
    """One request of a client that knows nothing but a link: the status and the body of the answer."""

    def send(url: str, method: str = "GET", data: bytes | None = None, **headers: str) -> tuple[int, bytes]:
        trust = request.getfixturevalue("secure").trust if url.startswith("https:") else None
        asked = urllib.request.Request(url, data, {**(HEADERS if method == "PUT" else {}), **headers}, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=20, context=trust) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    return send


def now() -> datetime:
    return datetime.now(UTC)


async def test_photo_is_put_once_and_cannot_be_read_overwritten_or_removed(account: Account, send: Request) -> None:
    links, store, photo = PhotoLinks(account, public_url="", **MINUTES), PhotoStore(account), identity.new_photo()
    await store.make()
    url = (await links.upload_link(photo, now=now())).url
    assert send(url, "GET")[0] == 403
    assert send(url, "PUT", b"picture A")[0] == 201
    assert send(url, "PUT", b"picture B")[0] in (403, 409)  # BS-05
    assert send(url, "GET")[0] == send(url, "DELETE")[0] == 403
    assert await store.read(photo, most=100) == b"picture A"


async def test_link_is_for_one_blob_alone(account: Account, send: Request) -> None:
    links, store, photo = PhotoLinks(account, public_url="", **MINUTES), PhotoStore(account), identity.new_photo()
    await store.make()
    url, other = (await links.upload_link(photo, now=now())).url, identity.new_photo()
    assert send(url.replace(photo, other), "PUT", b"x")[0] == 403
    assert send(url.replace(f"incoming/{photo}", photo), "PUT", b"x")[0] == 403
    assert await store.size_of(other) is None


async def test_what_is_shown_can_be_read_by_its_link_and_not_written(account: Account, send: Request) -> None:
    links, store, photo = PhotoLinks(account, public_url="", **MINUTES), PhotoStore(account), identity.new_photo()
    await store.keep(
        photo, original=b"o", clean=b"c", extension="png", clean_type="image/png", thumbnail=b"the thumbnail"
    )
    url = await links.read_link(thumbnail_name(photo), now=now())
    assert send(url) == (200, b"the thumbnail")
    assert send(url, "PUT", b"x")[0] == 403
    assert send(url.replace("_thumb.jpg", ""))[0] == 403
    assert send(url.partition("?")[0])[0] in (403, 404, 409)


async def test_link_works_at_once_for_a_service_whose_clock_is_behind_and_ends_in_time(
    account: Account, send: Request
) -> None:  # BS-01
    store = PhotoStore(account)
    await store.make()
    ahead = PhotoLinks(account, public_url="", **MINUTES)
    link = await ahead.upload_link(identity.new_photo(), now=now() + timedelta(seconds=90))
    assert send(link.url, "PUT", b"x")[0] == 201
    late = await ahead.upload_link(identity.new_photo(), now=now() - timedelta(minutes=15, seconds=5))
    assert send(late.url, "PUT", b"x")[0] == 403
    assert link.expires_at - late.expires_at > timedelta(minutes=15)


async def test_link_has_the_host_and_the_path_that_clients_can_reach(azurite: Azurite, send: Request) -> None:  # BS-03
    public = f"http://127.0.0.1:{azurite.blob_port}/devstoreaccount1"
    with Wire(azurite) as wire:  # the app's way to storage, which ends before the client comes
        account = account_of(wire.connection_string)
        links, store, photo = (
            PhotoLinks(account, public_url=public, **MINUTES),
            PhotoStore(account),
            identity.new_photo(),
        )
        await store.make()
        url = (await links.upload_link(photo, now=now())).url
        await account.close()
    assert url.startswith(f"{public}/photos/{incoming_name(photo)}?")
    assert send(url, "PUT", b"x")[0] == 201
    assert links.origin == f"http://127.0.0.1:{azurite.blob_port}"


async def test_key_of_the_account_signs_without_a_request(azurite: Azurite) -> None:
    with Wire(azurite) as wire:
        account = account_of(wire.connection_string)
        links = PhotoLinks(account, public_url="", **MINUTES)
        url = (await links.upload_link(identity.new_photo(), now=now())).url
        await links.read_link("a", now=now())
        assert wire.requests == []
        assert "spr=" not in url  # over http a link that asks for https would be refused
        await account.close()


async def test_key_of_an_identity_is_fetched_once_and_again_when_it_ends(secure: SecureEmulator) -> None:
    account = secure.account()
    asked = []
    ask = account.blobs.get_user_delegation_key

    async def counted(start: datetime, expiry: datetime) -> object:
        asked.append((start, expiry))
        return await ask(start, expiry)

    account.blobs.get_user_delegation_key = counted  # type: ignore[method-assign, assignment]
    links, noon = PhotoLinks(account, public_url="", **MINUTES), now()
    for later in (0, 1, 23 * 60):
        url = await links.read_link("a", now=noon + timedelta(minutes=later))
        assert "spr=https&" in url
    assert [noon - start for start, _ in asked] >= [timedelta(minutes=15)]  # BS-09: begun a while ago
    assert len(asked) == 1
    await links.read_link("a", now=noon + timedelta(hours=23, minutes=55))  # the link would outlive it
    assert len(asked) == 2
    await account.close()
    await hung_up()


async def test_identity_that_is_given_no_key_makes_links_impossible_now(secure: SecureEmulator) -> None:  # BS-09
    async def refuse(request: web.Request) -> web.Response:
        return web.Response(status=403, headers={"x-ms-error-code": "AuthorizationPermissionMismatch"})

    app = web.Application()
    app.router.add_route("*", "/{any:.*}", refuse)
    server = TestServer(app, host="127.0.0.1", scheme="https")
    await server.start_server(ssl=secure.certificate)
    account = secure.account(str(server.make_url("/devstoreaccount1")))
    with pytest.raises(DependencyDown, match="403 AuthorizationPermissionMismatch"):
        await PhotoLinks(account, public_url="", **MINUTES).read_link("a", now=now())
    await account.close()
    await server.close()
    await hung_up()


async def test_connection_string_without_a_key_says_that_it_signs_nothing() -> None:
    account = account_of("BlobEndpoint=https://x.blob.core.windows.net;SharedAccessSignature=sv=1&sig=abc")
    with pytest.raises(SettingsError, match="no account key"):
        await PhotoLinks(account, public_url="", **MINUTES).read_link("a", now=now())
    await account.close()
