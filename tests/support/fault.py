"""One thing that a test breaks on the wire."""

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from aiohttp import web

from tests.support.storage_request import StorageRequest
from tests.support.tally import count

type Match = Callable[[StorageRequest], bool]


class Kind(TypedDict, total=False):
    """A kind of requests. What is left out may be anything."""

    op: str
    service: str
    target: str
    match: Match


class Which(Kind, total=False):
    """Which requests of a kind: `times` of them (1; None: all), from the `nth` one (1 is the next to come) on."""

    nth: int
    times: int | None


@dataclass(frozen=True, kw_only=True)
class Damage:
    """What is done to a request; `Wire.fail`, `slow`, `hold`, `silence` and `duplicate` say what the fields mean."""

    status: int | None = None
    code: str = ""
    after: bool = False
    cut: bool = False
    delay: float = 0
    held: bool = False
    silent: bool = False
    late: bool = False
    twice: Literal["first", "second"] | None = None


@dataclass(eq=False)
class Fault:
    """Which requests it concerns, what it does to them, and those it met so far."""

    which: Which
    damage: Damage
    hits: list[StorageRequest] = field(default_factory=list)
    _seen: int = 0
    _over: bool = False
    _held: list[Callable[[], object]] = field(default_factory=list)
    _news: threading.Condition = field(default_factory=threading.Condition)

    @property
    def is_over(self) -> bool:
        """Whether it breaks no further request."""
        return self._over

    def counts_in(self, request: StorageRequest) -> bool:
        """Count a request, and say whether it is one to break."""
        if self._over or not is_of(request, self.which):
            return False
        self._seen += 1
        nth, times = self.which.get("nth", 1), self.which.get("times", 1)
        return self._seen >= nth and (times is None or self._seen < nth + times)

    def hit(self, request: StorageRequest) -> None:
        """Note that a request is being broken (one that is held: that it has arrived)."""
        count("faults injected")
        with self._news:
            self.hits.append(request)
            self._news.notify_all()

    def wait_hit(self, timeout: float = 30, *, hits: int = 1) -> None:
        """Return once that many requests were met. TimeoutError if that takes more than `timeout` seconds.

        It blocks its thread: `await asyncio.to_thread(fault.wait_hit)` where the client runs in the test's own loop.
        """
        with self._news:
            if not self._news.wait_for(lambda: len(self.hits) >= hits, timeout):
                raise TimeoutError(f"{len(self.hits)} of {hits} requests like {self.which} within {timeout:g} s")

    def release(self) -> None:
        """Break no further request, and let go what is held."""
        with self._news:
            self._over = True
            held, self._held = self._held, []
        for let_go in held:
            let_go()

    async def released(self) -> None:
        """Return once `release` was called."""
        loop, free = asyncio.get_running_loop(), asyncio.Event()
        with self._news:
            if self._over:
                return
            self._held.append(lambda: loop.call_soon_threadsafe(free.set))
        await free.wait()


def is_of(request: StorageRequest, kind: Kind) -> bool:
    """Whether a request is of this kind."""
    return (
        kind.get("op", request.op) == request.op
        and kind.get("service", request.service) == request.service
        and kind.get("target", request.target) == request.target
        and ("match" not in kind or kind["match"](request))
    )


KINDS = {"queue": "Queue", "table": "Table", "blob": "Container"}


def error_response(request: StorageRequest, status: int, code: str) -> web.Response:
    """An error as the storage service itself words it. `{kind}` in the code becomes Queue, Table or Container."""
    code = code.format(kind=KINDS[request.service])
    headers = {"x-ms-error-code": code, "x-ms-version": request.headers.get("x-ms-version", "")}
    if request.method == "HEAD":
        return web.Response(status=status, headers=headers)
    text = "Broken on the wire by a test."
    if request.service == "table":
        error = {"odata.error": {"code": code, "message": {"lang": "en-US", "value": text}}}
        return web.Response(status=status, headers=headers, text=json.dumps(error), content_type="application/json")
    xml = f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code><Message>{text}</Message></Error>'
    return web.Response(status=status, headers=headers, text=xml, content_type="application/xml")
