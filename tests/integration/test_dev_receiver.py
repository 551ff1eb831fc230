"""The receiver of callbacks for local work: it says how to use it, and whether what comes is signed."""

import ssl
import sys
import urllib.request
from datetime import UTC, datetime

import pytest

from shared.domain.webhook_signature import parse_webhook_keys, signed_headers
from tests.support.running import bare_environment
from tools.dev.child import Child
from tools.dev.demo_receiver import own_keys
from tools.dev.paths import LOGS, ROOT

BODY = b'{"type":"fixit.task.succeeded"}'


@pytest.mark.parametrize("verdict", ["verified", "NOT VERIFIED"])
def test_receiver_shows_what_comes_and_whether_it_is_signed(verdict: str) -> None:
    key = own_keys()[0] if verdict == "verified" else "whsec_" + "b3RoZXIb" * 8
    child = Child([sys.executable, "-m", "tools.dev.demo_receiver"], cwd=ROOT, env=bare_environment())
    try:
        address = child.wait_line(r"Callbacks to (https://\S+)", 30)[1]
        headers = signed_headers(
            "60f7bb04-600e-5135-a0c3-08fefa0da9ce", BODY, parse_webhook_keys(key), datetime.now(UTC)
        )
        request = urllib.request.Request(address, BODY, headers)
        trusted = ssl.create_default_context(cafile=str(LOGS / "receiver-ca.pem"))
        with urllib.request.urlopen(request, timeout=10, context=trusted) as answer:
            assert answer.status == 204
        shown = child.wait_line(r"(NOT VERIFIED|verified)  (\S+)  (.*)", 10)
        assert shown.groups() == (verdict, headers["webhook-id"], BODY.decode())
    finally:
        child.stop(5)
