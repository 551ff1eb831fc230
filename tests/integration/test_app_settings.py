"""A wrong setting stops what needs it, says so, and costs no task."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.fixit_app import FixIt
from tests.support.fixit_client import FixItClient
from tests.support.raw_messages import submitted


@pytest.fixture(scope="module")
def account() -> Iterator[FixIt]:
    """An account whose work only the hosts of the tests do."""
    with FixIt(functions=["health"]) as running:
        yield running


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FIXIT_RECEIPT_KEYS", "too-short"),
        ("FIXIT_DEFER_CAP_SECONDS", "5 minutes"),
        ("FIXIT_REPLY_QUEUES", "Bad_Name"),
        ("FIXIT_RECEIPT_KEYS", "@Microsoft.KeyVault(SecretUri=https://kv-x.vault.azure.net/secrets/receipt-keys)"),
    ],
    ids=["short-key", "no-number", "no-queue", "unresolved-reference"],
)
def test_worker_with_a_wrong_setting_records_all_the_same(account: FixIt, name: str, value: str) -> None:
    account.fresh()
    account.stores.put(submitted(f"k-{name}"))
    wrong: dict[str, Any] = {name: value}
    with account.another_host(**wrong) as host:
        account.idle()
        host.wait_line(rf"a setting is missing or wrong .*{name}")
        answer = FixItClient(host.url).post(b'{"title":"t"}')
        assert (answer.status, answer.json["code"]) == (500, "not_configured")
        health = FixItClient(host.url).get("/api/health/details")
        settings, *storage = health.json["parts"]
        assert (health.status, settings["part"], settings["verdict"]) == (503, "settings", "down")
        assert name in settings["because"]
        assert {part["verdict"] for part in storage} <= {"ok", "slow"}
        assert value not in health.body.decode()
        assert value not in "\n".join(host.lines())
        assert host.terminate() == 0
    assert [row["state"] for row in account.stores.tasks()] == ["succeeded"]
    assert account.stores.letters() == []


def test_task_that_asks_for_an_answer_waits_while_the_list_of_queues_is_wrong(account: FixIt) -> None:
    account.fresh()
    account.stores.put(submitted("k-1", replyTo="answers"))
    with account.another_host(FIXIT_REPLY_QUEUES="Bad_Name") as host:
        host.wait_line(r"message deferred .*FIXIT_REPLY_QUEUES")
        assert account.stores.tasks() == []
        assert host.terminate() == 0
    with account.another_host(FIXIT_REPLY_QUEUES="answers"):
        account.idle()
    assert [row["state"] for row in account.stores.tasks()] == ["succeeded"]


REFERENCE = "@Microsoft.KeyVault(SecretUri=https://kv-x.vault.azure.net/secrets/x)"


@pytest.mark.parametrize(
    ("channel", "fields", "wrong"),
    [
        ("callback", {"callbackUrl": "https://receiver.invalid/"}, {"FIXIT_CALLBACK_KEYS": "whsec_no-key"}),
        ("callback", {"callbackUrl": "https://receiver.invalid/"}, {"FIXIT_CALLBACK_KEYS": REFERENCE}),
        ("mail", {"contact": "ann@example.com"}, {"FIXIT_SMTP_URL": "smtp://no-scheme@", "FIXIT_OUTBOX": ".outbox"}),
        ("mail", {"contact": "ann@example.com"}, {"FIXIT_SMTP_URL": REFERENCE}),
    ],
    ids=["callback", "callback-reference", "mail", "mail-reference"],
)
def test_notice_waits_while_the_settings_of_its_channel_are_wrong(
    account: FixIt, channel: str, fields: dict[str, str], wrong: dict[str, Any]
) -> None:
    account.fresh()
    account.stores.put(submitted(f"k-{channel}", **fields))
    with account.another_host(**wrong) as host:
        host.wait_line(f'message deferred .*"kind": "notice".*{next(iter(wrong))}')
    (row,) = account.stores.tasks()
    (notice,) = account.stores.notice_rows()
    assert (row["state"], notice["channel"], notice["state"]) == ("succeeded", channel, "waiting")
    assert account.stores.letters() == []
    account.stores.clear()


def test_task_with_an_owner_waits_while_nobody_can_tell_whether_the_directory_is_needed(account: FixIt) -> None:
    account.fresh()
    account.stores.put(submitted("k-1", owner="ann"))
    with account.another_host(FIXIT_DIRECTORY="sometimes") as host:
        host.wait_line(r"message deferred .*FIXIT_DIRECTORY")
        assert account.stores.tasks() == []
        assert host.terminate() == 0
    with account.another_host():
        account.idle()
    assert [row["state"] for row in account.stores.tasks()] == ["succeeded"]


def test_worker_without_an_address_for_tables_defers_and_poisons_nothing(account: FixIt) -> None:
    account.fresh()
    key = dict(part.split("=", 1) for part in account.storage.connection_string.split(";") if part)
    account.stores.put(submitted("k-1"))
    queue_alone = ";".join(f"{name}={value}" for name, value in key.items() if name != "TableEndpoint")
    with account.another_host(FixItStorage=queue_alone.replace("UseDevelopment", "")) as host:
        host.wait_line("message deferred")
        assert host.terminate() == 0
    with account.another_host():
        account.idle()
    assert [row["state"] for row in account.stores.tasks()] == ["succeeded"]
    assert account.stores.letters() == []
