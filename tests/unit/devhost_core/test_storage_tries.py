import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import ServerDisconnectedError
from azure.core.exceptions import HttpResponseError, ServiceRequestError

from devhost.queues import storage_tries
from devhost.queues.storage_failure import StorageFailure
from devhost.queues.storage_tries import try_as_dotnet


class Server:
    """Answers each try with the next of these: an error to raise, or a value."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.tries = 0

    async def send(self) -> Any:
        self.tries += 1
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def error(status: int, code: str = "", **headers: str) -> HttpResponseError:
    response: Any = SimpleNamespace(
        status_code=status, reason="", headers={name.replace("_", "-"): value for name, value in headers.items()}
    )
    failure = HttpResponseError("x", response=response)
    failure.error_code = code  # type: ignore[attr-defined]
    return failure


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between the tries, none of which is waited for."""
    seconds: list[float] = []

    async def note(wait: float, until: asyncio.Event | None) -> None:
        seconds.append(wait)

    monkeypatch.setattr(storage_tries, "_sleep", note)
    return seconds


async def test_tries_of_a_failing_server_are_six_at_growing_distances(waits: list[float]) -> None:
    server = Server(*[error(500, "InternalError") for _ in range(6)])
    with pytest.raises(StorageFailure) as failure:
        await try_as_dotnet(server.send)
    assert (server.tries, failure.value.status) == (6, 500)
    for wait, base in zip(waits, [0.8, 1.6, 3.2, 6.4, 12.8], strict=True):
        assert base * 0.8 <= wait <= base * 1.2


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
async def test_status_of_passing_trouble_is_tried_again(status: int) -> None:
    assert await try_as_dotnet(Server(error(status), "answer").send) == "answer"


@pytest.mark.parametrize("code", ["InternalError", "OperationTimedOut", "ServerBusy"])
async def test_code_of_passing_trouble_is_tried_again_whatever_the_status(code: str) -> None:
    assert await try_as_dotnet(Server(error(403, code), error(505, code), "answer").send) == "answer"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 412, 501, 505])
async def test_status_of_lasting_trouble_is_not_tried_again(status: int) -> None:
    server = Server(error(status, "SomeCode"))
    with pytest.raises(StorageFailure) as failure:
        await try_as_dotnet(server.send)
    assert (server.tries, failure.value.status, failure.value.code) == (1, status, "SomeCode")


async def test_no_answer_is_tried_again_and_has_no_status() -> None:
    with pytest.raises(StorageFailure) as failure:
        await try_as_dotnet(Server(*[ServiceRequestError("refused") for _ in range(6)]).send)
    assert failure.value.status == 0


@pytest.mark.parametrize(("has_body", "requests"), [(False, 2), (True, 1)])
async def test_cut_connection_is_used_again_at_once_where_there_is_no_body(has_body: bool, requests: int) -> None:
    async def try_once(server: Server) -> None:
        with pytest.raises(StorageFailure):
            await try_as_dotnet(server.send, has_body=has_body)

    cut = ServiceRequestError("cut", error=ServerDisconnectedError())
    server = Server(*[cut] * requests, error(403))
    await try_once(server)
    assert server.tries == requests + 1


async def test_server_that_names_a_wait_is_obeyed(waits: list[float]) -> None:
    await try_as_dotnet(Server(error(503, Retry_After="7"), error(503, x_ms_retry_after_ms="9000"), "ok").send)
    assert waits == [7, 9]


async def test_tries_end_once_stopping() -> None:
    stopping = asyncio.Event()
    stopping.set()
    server = Server(error(500), "never")
    with pytest.raises(StorageFailure):
        await try_as_dotnet(server.send, until=stopping)
    assert server.tries == 1
