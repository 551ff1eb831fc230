"""Where a callback may go, by its URL alone."""

import pytest

from shared.domain.callback_rule import check_callback, parse_allow, url_problem
from shared.domain.errors import InvalidTask, SettingsError
from shared.domain.task import Task, parse_task

NOBODY = parse_allow("")
PORT, PUBLIC, PLAIN, URL = "must use port 443", "not public", "plain form", "must be an absolute https URL"
LOCAL = "must have a host that is public"


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "https://example.com/",
        "https://example.com.",
        "https://EXAMPLE.com:443/hook?a=b#c",
        "https://example.com?a=b",
        "https://xn--bcher-kva.example/x",
        "https://a.b.c.d.example/",
        "https://8.8.8.8/x",
        "https://[2606:4700:4700::1111]/x",
        "https://1.2.3.4.example/",
        "https://localhost.example.com/",
        "https://mylocal/".replace("mylocal", "my.locale"),
        "https://127.0.0.1.nip.io/",  # what a name resolves to is asked when it is delivered
    ],
)
def test_public_url_is_taken(url: str) -> None:
    assert url_problem(url, NOBODY) == ""


@pytest.mark.parametrize(
    ("url", "said"),
    [
        # WS-01
        ("http://169.254.169.254/metadata/instance", URL),
        ("https://169.254.169.254/metadata/instance", PUBLIC),
        ("https://10.0.0.1/x", PUBLIC),
        ("http://127.0.0.1:10001/devstoreaccount1", URL),
        ("https://127.0.0.1:10001/devstoreaccount1", PORT),
        ("https://[::1]/", PUBLIC),
        ("https://[fd00::1]/", PUBLIC),
        ("http://0.0.0.0/", URL),
        ("https://0.0.0.0/", PUBLIC),
        ("https://168.63.129.16/", PUBLIC),
        ("https://[fd00:ec2::254]/", PUBLIC),
        ("https://[::ffff:7f00:1]/", PUBLIC),
        ("https://[::ffff:127.0.0.1]/", URL),
        ("https://[64:ff9b::a9fe:a9fe]/", PUBLIC),
        ("https://[:::]/", PLAIN),
        ("https://[1:2:3:4:5:6:7]/", PLAIN),
        # Odd forms of IPv4, which some libraries read as an address.
        ("https://2130706433/", PLAIN),
        ("https://0x7f000001/", PLAIN),
        ("https://0x7f.1/", PLAIN),
        ("https://0x7f.0x0.0x0.0x1/", PLAIN),
        ("https://0177.0.0.1/", PLAIN),
        ("https://127.1/", PLAIN),
        ("https://127.0.1/", PLAIN),
        ("https://127.0.0.01/", PLAIN),
        ("https://127.0.0.0x/", PLAIN),
        ("https://127.0.0.1./", PLAIN),
        ("https://8.8.8.8./", PLAIN),
        ("https://0X7F.1/", PLAIN),
        ("https://256.1.1.1/", PLAIN),
        ("https://1.2.3.4.5/", PLAIN),
        ("https://example.0/", PLAIN),
        # Names of local networks.
        ("https://localhost/", LOCAL),
        ("https://localhost./", LOCAL),
        ("https://LOCALHOST/", LOCAL),
        ("https://a.localhost/", LOCAL),
        ("https://printer.local/", LOCAL),
        ("https://printer.local./", LOCAL),
        ("https://metadata.google.internal/", LOCAL),
        ("https://router.home.arpa/", LOCAL),
        ("https://localhost.localdomain/", LOCAL),
        ("https://azurite/", LOCAL),
        ("https://com./", LOCAL),
        ("https://" + ".".join(["a" * 50] * 6) + ".com/", "at most 253"),
        # WS-05
        ("file:///x", URL),
        ("gopher://example.com/_x", URL),
        ("ftp://example.com/", URL),
        ("https://user:pw@example.com/", URL),
        ("https://example.com:22/", PORT),
        ("https://example.com:8443/", PORT),
        ("https://example.com:0/", URL),
        ("https://example.com:65536/", URL),
        ("javascript:alert(1)", URL),
        ("https://exa mple.com/", URL),
        ("//example.com/x", URL),
        ("https://example.com\\@127.0.0.1/", URL),
        ("https://example.com#@127.0.0.1/", URL),
        ("https://bücher.example/", URL),
        ("https://１２７.0.0.1/", URL),
        ("https://example.com/\r\nX: y", URL),
    ],
)
def test_any_other_is_refused_and_told_why(url: str, said: str) -> None:
    assert said in url_problem(url, NOBODY)


def test_refusal_names_the_field_and_the_rule() -> None:
    with pytest.raises(InvalidTask) as refused:
        check_callback(Task(title="Lamp", callback_url="https://localhost:8443/x"), NOBODY)
    assert refused.value.status == 400
    (error,) = refused.value.errors
    assert error.field == "callbackUrl"
    assert refused.value.detail == f"callbackUrl {error.message}."
    assert "FIXIT_CALLBACK_ALLOW" in error.message


def test_task_without_a_callback_breaks_no_rule() -> None:
    check_callback(parse_task({"title": "Lamp"}), NOBODY)
    check_callback(parse_task({"title": "Lamp", "callbackUrl": "https://example.com/x"}), NOBODY)


@pytest.mark.parametrize(
    ("allow", "url", "is_open"),
    [
        ("localhost", "https://localhost/", True),
        ("localhost", "https://localhost:8443/", True),
        ("LOCALHOST.", "https://localhost./", True),
        ("localhost:8443", "https://localhost:8443/", True),
        ("localhost:8443", "https://localhost:8444/", False),
        ("localhost:8443", "https://localhost/", False),
        ("localhost", "https://a.localhost/", False),
        ("localhost", "http://localhost/", False),
        ("localhost", "https://127.0.0.1/", False),
        ("example.com:8443", "https://example.com/", True),
        (" a , 127.0.0.1:1 ,", "https://127.0.0.1:1/", True),
        ("[::1]", "https://[::1]:8443/", True),
        ("[::1]:8443", "https://[::1]:8443/", True),
        ("[::1]:8443", "https://[::1]:8444/", False),
    ],
)
def test_operator_opens_hosts(allow: str, url: str, is_open: bool) -> None:
    assert (url_problem(url, parse_allow(allow)) == "") is is_open


@pytest.mark.parametrize(
    "text",
    ["https://localhost", "a b", "localhost:0", "localhost:x", "localhost/", "localhost?", "*", "u@localhost", "::1"],
)
def test_list_of_what_is_open_is_checked(text: str) -> None:
    with pytest.raises(SettingsError, match=r"^FIXIT_CALLBACK_ALLOW, entry 2: must be host or host:port") as refused:
        parse_allow(f"example.com,{text}")
    assert text not in str(refused.value).removeprefix("FIXIT_CALLBACK_ALLOW, entry 2: must be host or host:port")
