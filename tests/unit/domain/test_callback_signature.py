"""The signature of callbacks, verified by the package that their receivers use."""

import base64
from datetime import UTC, datetime

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from shared.domain.errors import SettingsError
from shared.domain.webhook_signature import parse_webhook_keys, signed_headers

OLD, NEW = (f"whsec_{base64.b64encode(bytes([seed]) * 32).decode()}" for seed in (1, 2))
OTHER = f"whsec_{base64.b64encode(bytes(32)).decode()}"
BODY = '{"title":"Café 🔧"}'.encode()


@pytest.mark.parametrize("key", [OLD, NEW])
def test_each_of_two_keys_verifies(key: str) -> None:
    headers = signed_headers("e-1", BODY, parse_webhook_keys(f"{NEW}, {OLD}"), datetime.now(UTC))
    assert Webhook(key).verify(BODY, headers) == {"title": "Café 🔧"}


def test_neither_another_key_nor_another_body_or_id_does() -> None:
    headers = signed_headers("e-1", BODY, parse_webhook_keys(f"{NEW},{OLD}"), datetime.now(UTC))
    for key, body, changed in ((OTHER, BODY, {}), (OLD, BODY + b" ", {}), (OLD, BODY, {"webhook-id": "e-2"})):
        with pytest.raises(WebhookVerificationError, match="No matching signature"):
            Webhook(key).verify(body, headers | changed)


def test_form_on_the_wire_is_the_published_one() -> None:
    # The example of the specification's own libraries.
    keys = parse_webhook_keys("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    headers = signed_headers(
        "msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}', keys, datetime.fromtimestamp(1614265330, UTC)
    )
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_id_is_constant_and_the_rest_is_fresh_for_each_attempt() -> None:
    keys = parse_webhook_keys(OLD)
    first = signed_headers("e-1", BODY, keys, datetime(2026, 11, 30, 12, 0, 0, 999_999, tzinfo=UTC))
    second = signed_headers("e-1", BODY, keys, datetime(2026, 11, 30, 12, 0, 5, tzinfo=UTC))
    assert first["webhook-id"] == second["webhook-id"]
    assert int(second["webhook-timestamp"]) - int(first["webhook-timestamp"]) == 5
    assert first["webhook-signature"] != second["webhook-signature"]


def test_no_keys_are_none() -> None:
    assert parse_webhook_keys(" , ") == ()


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(entry, id=name)
        for name, entry in {
            "no prefix": OLD.removeprefix("whsec_"),
            "nothing": "whsec_",
            "no base64": "whsec_" + "!" * 40,
            "cut base64": OLD[:-2],
            "23 bytes": f"whsec_{base64.b64encode(bytes(23)).decode()}",
            "65 bytes": f"whsec_{base64.b64encode(bytes(65)).decode()}",
        }.items()
    ],
)
def test_wrong_key_is_told_by_its_place_and_never_quoted(entry: str) -> None:
    with pytest.raises(SettingsError) as refused:
        parse_webhook_keys(f"{OLD},{entry}")
    assert str(refused.value) == "FIXIT_CALLBACK_KEYS, entry 2: must be whsec_ and the base64 of 24 to 64 bytes"
