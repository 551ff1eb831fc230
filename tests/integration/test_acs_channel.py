"""Mail and SMS by Azure Communication Services, as a server that keeps what their reference promises."""

import socket
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from azure.core.exceptions import ClientAuthenticationError
from azure.identity import CredentialUnavailableError

from shared.channels.acs import SCOPE, Acs
from shared.channels.acs_mail import AcsMail
from shared.channels.acs_sms import AcsSms
from shared.domain.errors import DependencyDown, FixItError, OutcomeUnknown, TryLater, Undeliverable
from shared.domain.outgoing import Outgoing
from tests.support.acs_server import TOKEN, AcsServer, SignIn, acs_server
from tests.support.smtp_server import make_tls

ID = "3f2a9c1e-0000-5000-8000-000000000001"
TWO = '{"value": [{"httpStatusCode": 202, "successful": true}, {"httpStatusCode": 202, "successful": true}]}'
AGAIN = {"Retry-After": "7"}


def mail(server: AcsServer | int, *, sign_in: SignIn | None = None, seconds: float = 20) -> AcsMail:
    return AcsMail(acs=acs(server, sign_in, seconds), sender="fixit@example.org")


def sms(server: AcsServer | int, *, seconds: float = 20) -> AcsSms:
    return AcsSms(acs=acs(server, None, seconds), sender="+18001110000")


def acs(server: AcsServer | int, sign_in: SignIn | None, seconds: float) -> Acs:
    port = server if isinstance(server, int) else server.port
    given = sign_in or SignIn()
    return Acs(endpoint=f"http://localhost:{port}", sign_in=lambda: given, seconds=seconds)


def letter(**changes: Any) -> Outgoing:
    return Outgoing(**{"id": ID, "to": "ann@example.com", "subject": "Leak", "text": "Hello", **changes})


def text(**changes: Any) -> Outgoing:
    return letter(**{"to": "+61491570006", "subject": "", "text": "Hello", **changes})


async def test_mail_is_taken_as_it_was_given() -> None:
    async with acs_server() as server:
        assert await mail(server).send(letter(subject="Leak\r\nBcc: spy@example.net")) == ID  # NT-01
    assert server.mails == {
        ID: {
            "senderAddress": "fixit@example.org",
            "recipients": {"to": [{"address": "ann@example.com"}]},
            "content": {"subject": "Leak Bcc: spy@example.net", "plainText": "Hello\n"},
            "headers": {"Auto-Submitted": "auto-generated", "Message-ID": f"<{ID}@example.org>"},
            "userEngagementTrackingDisabled": True,
        }
    }


@pytest.mark.parametrize("to", ["a@example.com, b@example.net", "a@example.com\r\nBcc: b@example.net", '"x" <a@b.c>,'])
async def test_what_is_not_one_address_is_refused_before_anybody_is_asked(to: str) -> None:  # NT-03
    async with acs_server() as server:
        with pytest.raises(Undeliverable) as refused:
            await mail(server).send(letter(to=to))
    assert refused.value.is_target_bad and server.requests == []


@pytest.mark.parametrize("lost", ["silence", "cut"])
async def test_mail_whose_answer_is_lost_is_one_mail_when_it_is_sent_again(lost: str) -> None:  # NT-05
    async with acs_server(answers=[lost]) as server:
        with pytest.raises(OutcomeUnknown) as unknown:
            await mail(server, seconds=0.3 if lost == "silence" else 20).send(letter())
        assert unknown.value.operation == ID
        assert await mail(server).outcome(ID) == "sent"
        assert await mail(server).send(letter()) == ID
    assert [method for method, _, _ in server.requests] == ["POST", "GET", "POST"]
    assert list(server.mails) == [ID]


@pytest.mark.parametrize("status", [400, 409])
async def test_repeat_that_is_refused_as_one_is_taken(status: int) -> None:  # NT-05
    async with acs_server(answers=["cut", (status, "{}", {})]) as server:
        with pytest.raises(OutcomeUnknown):
            await mail(server).send(letter())
        assert await mail(server).send(letter()) == ID


@pytest.mark.parametrize("code", ["", "InvalidSenderUserName"])
async def test_refusal_of_what_may_be_a_repeat_is_not_known_while_nobody_says(code: str) -> None:
    async with acs_server(answers=[(400, problem(code), {})], is_speechless=True) as server:
        with pytest.raises(OutcomeUnknown) as unknown:
            await mail(server).send(letter())
    assert unknown.value.operation == ID


async def test_mail_whose_outcome_is_not_told_is_not_known() -> None:
    async with acs_server(answers=[(500, "", {})]) as server:
        with pytest.raises(OutcomeUnknown) as unknown:
            await mail(server).send(letter())
    assert unknown.value.operation == ID


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("NotStarted", "sent"),
        ("Running", "sent"),
        ("Succeeded", "sent"),
        ("Failed", "failed"),
        ("Canceled", "failed"),
        ("?", "unknown"),
    ],
)
async def test_outcome_is_what_the_operation_says(status: str, outcome: str) -> None:
    async with acs_server(statuses={ID: status}) as server:
        assert await mail(server).outcome(ID) == outcome
        assert await mail(server).outcome(f"{ID}/../x?y") == "unknown"
    assert server.requests[-1][1] == f"/emails/operations/{ID}%2F..%2Fx%3Fy?api-version=2025-09-01"


async def test_outcome_of_a_provider_that_does_not_answer_is_not_known() -> None:
    assert await mail(closed_port()).outcome(ID) == "unknown"


def problem(code: str) -> str:
    return f'{{"error": {{"code": "{code}", "message": "ann@example.com"}}}}'


REFUSALS: list[tuple[int, str, dict[str, str], type[FixItError]]] = [
    (400, problem("InvalidRecipient"), {}, Undeliverable),
    (400, "", {}, Undeliverable),
    (413, "[]", {}, Undeliverable),
    (400, problem("InvalidSenderUserName"), {}, DependencyDown),
    (401, problem("Denied"), {}, DependencyDown),
    (403, problem("Forbidden"), {}, DependencyDown),
    (404, problem("DomainNotLinked"), {}, DependencyDown),
    (429, problem("TooManyRequests"), AGAIN, TryLater),
    (503, "", AGAIN, TryLater),
    (429, "", {}, TryLater),
    (503, "", {}, OutcomeUnknown),
    (504, "", {}, OutcomeUnknown),
    (408, "", {}, OutcomeUnknown),
    (302, "", {"Location": "http://localhost:1/"}, OutcomeUnknown),
    (204, "", {}, OutcomeUnknown),
]
REFUSAL_IDS = [f"{status}-{number}" for number, (status, *_) in enumerate(REFUSALS)]


@pytest.mark.parametrize(("status", "said", "headers", "error"), REFUSALS, ids=REFUSAL_IDS)
async def test_refusal_says_whose_fault_it_is(
    status: int, said: str, headers: dict[str, str], error: type[FixItError]
) -> None:
    async with acs_server(answers=[(status, said, headers)], is_before=True) as server:
        with pytest.raises(error) as refused:
            await mail(server).send(letter())
    assert server.mails == {} and "ann" not in str(refused.value) and TOKEN not in str(refused.value)
    assert sum(method == "POST" for method, _, _ in server.requests) == 1
    if isinstance(refused.value, Undeliverable):
        assert refused.value.code == "mail_refused"
    if isinstance(refused.value, TryLater):
        assert refused.value.after == (7 if headers else None)


async def test_mail_that_failed_at_once_is_refused() -> None:
    async with acs_server(statuses={ID: "Failed"}) as server:
        with pytest.raises(Undeliverable):
            await mail(server).send(letter())


@pytest.mark.parametrize(
    "error", [CredentialUnavailableError("secret"), ClientAuthenticationError("secret")], ids=["none", "refused"]
)
async def test_sign_in_that_fails_is_ours_to_mend(error: Exception) -> None:
    async with acs_server() as server:
        with pytest.raises(DependencyDown) as down:
            await mail(server, sign_in=SignIn(error=error)).send(letter())
        with pytest.raises(DependencyDown):
            await mail(server, sign_in=SignIn(hangs=True), seconds=0.2).send(letter())
    assert "secret" not in str(down.value) and server.requests == []


async def test_sign_in_is_made_once_and_kept() -> None:
    made: list[SignIn] = []

    def sign_in() -> SignIn:
        made.append(SignIn())
        return made[-1]

    async with acs_server() as server:
        channel = mail(server)
        channel.acs.sign_in = sign_in
        for _ in range(2):
            await channel.send(letter())
    assert [each.scopes for each in made] == [[SCOPE] * 2]


def closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        port: int = taken.getsockname()[1]
        return port


async def test_provider_that_cannot_be_reached_may_be_tried_later() -> None:
    port = closed_port()
    for sending in (mail(port).send(letter()), sms(port).send(text())):
        with pytest.raises(TryLater):
            await sending


async def test_provider_that_is_not_trusted_gets_neither_mail_nor_token() -> None:
    server_tls, client_tls = make_tls()
    async with acs_server(tls=server_tls) as server:
        endpoint = f"https://localhost:{server.port}"
        trusting = Acs(endpoint=endpoint, sign_in=SignIn, tls=client_tls)
        assert await AcsMail(acs=trusting, sender="fixit@example.org").send(letter()) == ID
        seen = len(server.requests)
        with pytest.raises(DependencyDown, match="certificate"):
            await AcsMail(acs=Acs(endpoint=endpoint, sign_in=SignIn), sender="fixit@example.org").send(letter())
    assert len(server.requests) == seen


async def test_answer_without_end_is_not_read_to_it() -> None:
    async with acs_server(answers=[(202, "[" * 1_000_000, {})]) as server:
        assert await mail(server).send(letter()) == ID


async def test_sms_is_taken_as_it_was_given() -> None:
    first_at = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
    async with acs_server() as server:
        assert await sms(server).send(text(first_at=first_at)) == "Outgoing_0"
        assert await sms(server).outcome("Outgoing_0") == "unknown"
    assert server.texts == {
        ID: {
            "from": "+18001110000",
            "smsRecipients": [
                {
                    "to": "+61491570006",
                    "repeatabilityRequestId": ID,
                    "repeatabilityFirstSent": "Tue, 01 Dec 2026 09:30:00 GMT",
                }
            ],
            "message": "Hello",
            "smsSendOptions": {"enableDeliveryReport": False},
        }
    }


@pytest.mark.parametrize("lost", ["silence", "cut"])
async def test_sms_whose_answer_is_lost_is_one_sms_when_it_is_sent_again(lost: str) -> None:  # NT-05
    async with acs_server(answers=[lost]) as server:
        with pytest.raises(OutcomeUnknown):
            await sms(server, seconds=0.3 if lost == "silence" else 20).send(text())
        await sms(server).send(text())
    assert len(server.requests) == 2 and list(server.texts) == [ID]


ITEMS: list[tuple[int, dict[str, Any], type[FixItError], bool]] = [
    (400, {"errorMessage": "Invalid To phone number format."}, Undeliverable, True),
    (400, {"errorMessage": "The recipient has opted out."}, Undeliverable, True),
    (400, {"errorMessage": "Sender blocked for given recipient."}, Undeliverable, True),
    (400, {"errorMessage": "Message is too long"}, Undeliverable, False),
    (400, {}, Undeliverable, False),
    (400, {"errorMessage": "Invalid From phone number."}, DependencyDown, False),
    (401, {}, DependencyDown, False),
    (404, {}, DependencyDown, False),
    (429, {}, TryLater, False),
    (503, {"errorMessage": "ServiceUnavailable"}, TryLater, False),
    (500, {}, OutcomeUnknown, False),
    (409, {}, OutcomeUnknown, False),
    (412, {"repeatabilityResult": "rejected"}, OutcomeUnknown, False),
    (400, {"repeatabilityResult": "rejected"}, OutcomeUnknown, False),
    (202, {}, OutcomeUnknown, False),
]
ITEM_IDS = [f"{status}-{number}" for number, (status, *_) in enumerate(ITEMS)]


@pytest.mark.parametrize(("status", "more", "error", "is_bad"), ITEMS, ids=ITEM_IDS)
async def test_what_is_said_of_the_recipient_counts_and_is_asked_once(  # NT-07
    status: int, more: dict[str, Any], error: type[FixItError], is_bad: bool
) -> None:
    async with acs_server(items=[{"httpStatusCode": status, "successful": False, **more}]) as server:
        with pytest.raises(error) as refused:
            await sms(server).send(text())
    assert len(server.requests) == 1 and server.texts == {}
    if isinstance(refused.value, Undeliverable):
        assert (refused.value.code, refused.value.is_target_bad) == ("sms_refused", is_bad)


@pytest.mark.parametrize(
    "said", ["", "[]", "{}", '{"value": []}', '{"value": [1]}', '{"value": [{}]}', '{"value": 1}', TWO]
)
async def test_answer_that_says_nothing_of_the_recipient_is_an_outcome_that_is_not_known(said: str) -> None:
    async with acs_server(answers=[(202, said, {})]) as server:
        with pytest.raises(OutcomeUnknown):
            await sms(server).send(text())


@pytest.mark.parametrize(
    ("status", "error"), [(400, Undeliverable), (401, DependencyDown), (429, TryLater), (500, OutcomeUnknown)]
)
async def test_whole_call_may_be_refused(status: int, error: type[FixItError]) -> None:
    async with acs_server(answers=[(status, "", {})], is_before=True) as server:
        with pytest.raises(error):
            await sms(server).send(text())


async def test_text_that_is_too_long_is_cut_behind_a_character_and_sent_once() -> None:  # NT-07
    flag = "\U0001f1e6\U0001f1fa"
    async with acs_server() as server:
        await sms(server).send(text(text="Ü" + flag * 1_000))
    assert len(server.requests) == 1
    (sent,) = server.texts.values()
    assert sent["message"] == "Ü" + flag * 33 + "…"


@pytest.mark.parametrize("to", ["0491570006", "+61 491 570 006", "+61491570006,+61491570007", "+", "+٤٩", ""])
async def test_what_is_not_one_number_is_refused_before_anybody_is_asked(to: str) -> None:
    async with acs_server() as server:
        with pytest.raises(Undeliverable) as refused:
            await sms(server).send(text(to=to))
    assert refused.value.is_target_bad and server.requests == []


async def test_send_is_over_in_its_time() -> None:
    async with acs_server(answers=["silence"]) as server:
        began = time.monotonic()
        with pytest.raises(OutcomeUnknown):
            await sms(server, seconds=0.2).send(text())
    assert time.monotonic() - began < 5
