"""A receiver of callbacks for the demo: https on this machine, with a certificate that is made for it.

`.venv/bin/python -m tools.dev.demo_receiver` runs one by itself, which shows and verifies whatever comes.
"""

import json
import ssl
import tempfile
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self

import trustme
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from tools.dev.paths import LOGS, ROOT


class DemoReceiver:
    """Takes every POST and keeps it. `ca_file` is the certificate of who vouches for it; `show` is told of each."""

    def __init__(
        self, *, ca_file: Path | None = None, show: Callable[[dict[str, str], bytes], None] | None = None
    ) -> None:
        self.received: list[tuple[dict[str, str], bytes]] = []
        self._folder = tempfile.TemporaryDirectory()
        self.ca_file = str(ca_file or Path(self._folder.name) / "ca.pem")
        received = self.received

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                headers = {name.lower(): value for name, value in self.headers.items()}
                received.append((headers, body))
                if show:
                    show(headers, body)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        authority = trustme.CA()
        authority.cert_pem.write_to_path(self.ca_file)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("localhost").configure_cert(tls)
        self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def place(self) -> str:
        """Host and port, as FIXIT_CALLBACK_ALLOW names them."""
        return f"localhost:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._folder.cleanup()


def main() -> int:
    """Show what comes, until Ctrl-C; each line says whether a key of local.settings.json signed it."""
    keys = own_keys()

    def show(headers: dict[str, str], body: bytes) -> None:
        verdict = "verified" if any(_verifies(key, body, headers) for key in keys) else "NOT VERIFIED"
        print(f"{verdict}  {headers.get('webhook-id')}  {body.decode('utf-8', 'replace')}", flush=True)

    LOGS.mkdir(exist_ok=True)
    ca_file = LOGS / "receiver-ca.pem"
    with DemoReceiver(ca_file=ca_file, show=show) as receiver:
        print(f"Callbacks to https://{receiver.place}/ are shown here; Ctrl-C ends it. Start the app with")
        print(f"  SSL_CERT_FILE={ca_file.relative_to(ROOT)} python3 dev.py start", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return 0
    return 0


def own_keys() -> list[str]:
    """The keys of this folder's settings; those of the example as long as they have none."""
    for name in ("local.settings.json", "local.settings.example.json"):  # the first is made by the first start
        file = ROOT / name
        text = json.loads(file.read_text("utf-8"))["Values"].get("FIXIT_CALLBACK_KEYS", "") if file.exists() else ""
        if keys := [key.strip() for key in text.split(",") if key.strip()]:
            return keys
    return []


def _verifies(key: str, body: bytes, headers: dict[str, str]) -> bool:
    try:
        Webhook(key).verify(body, headers)
    except (WebhookVerificationError, ValueError):
        return False
    return True


if __name__ == "__main__":
    raise SystemExit(main())
