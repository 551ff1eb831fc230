"""The host is killed while somebody is being told: a mail goes once more at most and then its row says so; a provider
that can be asked is asked; a callback comes again under its id."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager

import pytest
from aiohttp import web

from shared.domain.names import NOTICE_TABLE
from tests.faults.mailing import HOLDS_AFTER, HOLDS_BEFORE, Turn
from tests.faults.stories_notices import CALLBACK, MAIL, tell
from tests.faults.telling import Tale, Telling, check_told, state_of
from tests.support.acs_server import TOKEN, AcsServer, acs_server
from tests.support.eventually import eventually
from tests.support.receiver import hang, reply
from tests.support.running import RunningHost
from tests.support.wire import Wire

MAILS = Tale(act=tell("mail", "contact@example.com"), requests=4, news=MAIL)
CALLBACKS = Tale(act=tell("callback"), requests=3, news=CALLBACK)


@pytest.fixture(scope="module")
def running() -> Iterator[Telling]:
    """A product that tells nobody by itself; what its hosts had in hand comes again two seconds after their end."""
    with Telling(functions=["health"], options=["--lease", "2"]) as told:
        yield told


@pytest.fixture
def told(running: Telling) -> Telling:
    running.stores.clear()  # nothing else takes what a test that failed left on a queue
    running.fresh()
    return running


def _notify(told: Telling, wire: Wire | None = None, **settings: str) -> RunningHost:
    return told.another_host(wire, functions=["notify"], **settings)


@pytest.mark.parametrize(("turn", "kept"), [(HOLDS_BEFORE, 1), (HOLDS_AFTER, 2)], ids=["before", "after"])
def test_kill_while_the_mail_server_has_it_repeats_it_once_and_says_so(told: Telling, turn: Turn, kept: int) -> None:
    told.mails.behave(turn)
    with _notify(told) as first:
        MAILS.act(told)
        told.mails.wait_seen(1)
        first.kill()
        with _notify(told):
            told.idle(60)
    check_told(told, MAILS)
    (row,) = told.notices()
    assert (row["state"], told.mails.counted[row["RowKey"]], told.mails.seen) == ("unknown", kept, 2)


def test_second_kill_sends_nothing_a_third_time(told: Telling) -> None:
    told.mails.behave(HOLDS_AFTER, HOLDS_AFTER)
    for sendings in (1, 2):
        with _notify(told) as host:
            if sendings == 1:
                MAILS.act(told)
            told.mails.wait_seen(sendings)
            host.kill()
    with _notify(told):
        told.idle(60)
    check_told(told, MAILS)
    (row,) = told.notices()
    assert (row["state"], told.mails.seen) == ("unknown", 2)


@pytest.mark.parametrize(("place", "kept"), [(1, 1), (2, 2)], ids=["claim", "end"])
def test_kill_at_a_write_of_the_row_is_the_same(told: Telling, place: int, kept: int) -> None:
    with Wire(told.storage) as wire, _notify(told, wire) as first:
        # The claim is written and its host does not hear of it; or the mail is sent and the row never says so.
        written = wire.silence(after=place == 1, op="merge", target=NOTICE_TABLE, nth=place)
        MAILS.act(told)
        written.wait_hit()
        first.kill()
        with _notify(told):
            told.idle(60)
    check_told(told, MAILS)
    (row,) = told.notices()
    assert (row["state"], told.mails.seen) == ("unknown", kept)


def test_provider_that_can_be_asked_is_asked_and_nothing_is_sent_again(told: Telling) -> None:
    with _provider("silence") as (provider, settings):
        with _notify(told, None, **settings) as first:
            MAILS.act(told)
            eventually(lambda: provider.mails, what="a mail at the provider")
            first.kill()
            with _notify(told, None, **settings):
                told.idle(60)
        (row,) = told.notices()
        assert (row["state"], list(provider.mails)) == ("sent", [row["RowKey"]])
        assert [method for method, *_ in provider.requests] == ["POST", "GET"]


def test_callback_comes_again_under_its_id(told: Telling) -> None:
    told.receiver.behave(hang(), reply())
    with _notify(told, FIXIT_CALLBACK_SECONDS="30", FIXIT_STEP_SECONDS="30") as first:
        CALLBACKS.act(told)
        eventually(lambda: told.receiver.requests, what="the first callback")
        first.kill()
        with _notify(told):
            told.idle(60)
    check_told(told, CALLBACKS)
    (row,) = told.notices()
    ids = [request.headers["webhook-id"] for request in told.receiver.requests]
    assert (state_of(row), ids) == (("sent", ["200"]), [row["RowKey"]] * 2)


@contextmanager
def _provider(*answers: str) -> Iterator[tuple[AcsServer, dict[str, str]]]:
    """Azure Communication Services and the sign-in of an identity, on a thread of their own; and what leads there."""
    loop, over = asyncio.new_event_loop(), asyncio.Event()
    ready = threading.Event()
    found: list[tuple[AcsServer, int]] = []

    async def token(request: web.BaseRequest) -> web.StreamResponse:
        said = {"access_token": TOKEN, "expires_on": str(2**31), "token_type": "Bearer"}
        return web.json_response({**said, "resource": request.query["resource"]})

    async def live() -> None:
        async with AsyncExitStack() as stack:
            provider = await stack.enter_async_context(acs_server(answers=list(answers)))
            served = web.Server(token, access_log=None)
            server = await loop.create_server(served, "localhost", 0)
            found.append((provider, server.sockets[0].getsockname()[1]))
            ready.set()
            await over.wait()
            server.close()
            await served.shutdown(0.01)

    thread = threading.Thread(target=lambda: loop.run_until_complete(live()), daemon=True)
    thread.start()
    assert ready.wait(10)
    provider, port = found[0]
    settings = {
        "FIXIT_SMTP_URL": "",
        "FIXIT_ACS_ENDPOINT": f"http://localhost:{provider.port}",
        "IDENTITY_ENDPOINT": f"http://localhost:{port}/token",
        "IDENTITY_HEADER": "an-identity-of-the-tests",
    }
    try:
        yield provider, settings
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(10)
        loop.close()
