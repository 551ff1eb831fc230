import pytest

from devhost.queues.message import decode_text, encode_body


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("", b""),
        ("YQ==", b"a"),
        (" Y\tQ\r\n= =", b"a"),
        ("YR==", b"a"),  # trailing bits are not looked at
        ("test", b"\xb5\xeb-"),
    ],
)
def test_base64_text_that_dotnet_takes_is_decoded(text: str, body: bytes) -> None:
    assert decode_text(text, "base64") == body


@pytest.mark.parametrize("text", ['{"raw":true}', "YQ", "YQ=", "YQ===", "_-8=", "YQ==YQ==", "=", "====", "YQ\xa0=="])
def test_base64_text_that_dotnet_refuses_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="base64"):
        decode_text(text, "base64")


def test_text_without_encoding_is_its_own_utf8() -> None:
    assert decode_text("<a> & \U0001f600", "none") == "<a> & \U0001f600".encode()
    assert encode_body("\xe9".encode(), "none") == "\xe9"


def test_body_that_is_not_utf8_without_encoding_gets_replacement_characters() -> None:
    assert encode_body(b"a\xff", "none") == "a\ufffd"


def test_body_with_base64_is_written_canonically() -> None:
    assert encode_body(decode_text("YR==", "base64"), "base64") == "YQ=="
