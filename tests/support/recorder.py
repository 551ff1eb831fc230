"""Runs one scenario on the local host and writes down every storage call and every run, in their order."""

import base64
import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.support.running import RunningHost
from tests.support.storage_request import StorageRequest
from tests.support.trace import TracedCall
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

APP = Path(__file__).resolve().parents[1] / "apps/recorded"


@dataclass(frozen=True, kw_only=True)
class Delivered:
    """A message as the function saw it."""

    id: str
    pop_receipt: str
    dequeue_count: int
    body: bytes


type Decide = Callable[[int, Delivered], bool]
"""Whether the n-th run (from 0) succeeds; it may take its time."""


class RecordingWire(Wire):
    """A wire that also reads the answers. `journal` holds the calls to one queue and its poison queue, and the runs."""

    def __init__(self, azurite: Azurite, queue: str, *, lease: int) -> None:
        super().__init__(azurite)
        self.journal: list[TracedCall] = []
        self._queues = (queue, f"{queue}-poison")
        self._lease = lease
        self._traced: dict[int, TracedCall] = {}
        self._first = 0.0

    def polled_for(self) -> float:
        """Seconds since the host's first request; 0 before it."""
        return time.monotonic() - self._first if self._first else 0

    async def _record(self, service: str, request: web.BaseRequest) -> StorageRequest:
        record = await super()._record(service, request)
        if record.target in self._queues:
            self._first = self._first or time.monotonic()
            call = TracedCall(op=record.op, queue=record.target, parameters=self._parameters(record))
            self._traced[id(record)] = call
            self.journal.append(call)
        return record

    async def _answer(self, record: StorageRequest, request: web.BaseRequest) -> web.Response | None:
        answer = await super()._answer(record, request)
        if call := self._traced.pop(id(record), None):
            # What storage said, where it was asked; what a fault made of it is no news.
            call.status = record.stored_status or (answer.status if answer else 0)
            if answer and record.stored_status == answer.status:
                call.code = answer.headers.get("x-ms-error-code")
                if record.op == "get" and answer.status == 200:
                    found = re.findall(r"<DequeueCount>(\d+)</DequeueCount>", answer.text or "")
                    call.deliveries = [int(count) for count in found]
        return answer

    def _parameters(self, record: StorageRequest) -> dict[str, Any]:
        hidden = record.query.get("visibilitytimeout")
        text = re.search(rb"(?s)<MessageText>(.*)</MessageText>", record.body)
        return {
            "number": record.query.get("numofmessages"),
            "hidden": "lease" if hidden == str(self._lease) else hidden,
            "ttl": record.query.get("messagettl"),
            "body": "yes" if record.op == "update" and record.body else None,
            "text": repr((text[1] if text else record.body).decode()[:80]) if record.op == "put" else None,
        }


class Recording:
    """One host on one queue. Afterwards `wire.journal` and `deliveries` say what happened."""

    def __init__(self, azurite: Azurite, queue: str, decide: Decide, *, lease: int = 600) -> None:
        self.queue = queue
        self.deliveries: list[Delivered] = []
        self.running, self.peak = 0, 0
        self.wire = RecordingWire(azurite, queue.lower(), lease=lease)
        self._decide = decide
        self._lease = lease
        self._lock = threading.Lock()

    @contextmanager
    def host(self, options: Mapping[str, str]) -> Iterator[RunningHost]:
        """The host while it runs; `options` are host.json leaves below `extensions.queues`, or whole variables."""
        with self.wire, self._handler() as port:
            env = {
                "Recorded": self.wire.connection_string,
                "RECORDED_QUEUE": self.queue,
                "RECORDED_HANDLER": f"http://127.0.0.1:{port}/",
                "AZURE_FUNCTIONS_ENVIRONMENT": "Production",
                **{_variable(name): value for name, value in options.items()},
            }
            with RunningHost(APP, env, options=["--lease", str(self._lease)]) as host:
                yield host

    def _run(self, message: Mapping[str, Any]) -> bool:
        delivered = Delivered(**{**message, "body": base64.b64decode(message["body"])})
        with self._lock:
            number = len(self.deliveries)
            self.deliveries.append(delivered)
            self.running += 1
            self.peak = max(self.peak, self.running)
            self.wire.journal.append(TracedCall(op="invoke", deliveries=[delivered.dequeue_count]))
        try:
            return self._decide(number, delivered)
        finally:
            with self._lock:
                self.running -= 1

    @contextmanager
    def _handler(self) -> Iterator[int]:
        recording = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                ok = recording._run(json.loads(self.rfile.read(length)))
                self.send_response(200 if ok else 500)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        class Server(ThreadingHTTPServer):
            request_queue_size = 128  # all messages of two batches may ask at once
            daemon_threads = True

        with Server(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                yield server.server_address[1]
            finally:
                server.shutdown()


def _variable(name: str) -> str:
    return name if name.isupper() else f"AzureFunctionsJobHost__extensions__queues__{name}"
