"""A receiver of callbacks for the demo: https on this machine, with a certificate that is made for it."""

import ssl
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self

import trustme


class DemoReceiver:
    """Takes every POST and keeps it. `ca_file` is the certificate of who vouches for it."""

    def __init__(self) -> None:
        self.received: list[tuple[dict[str, str], bytes]] = []
        self._folder = tempfile.TemporaryDirectory()
        self.ca_file = str(Path(self._folder.name) / "ca.pem")
        received = self.received

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                received.append(({name.lower(): value for name, value in self.headers.items()}, body))
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
