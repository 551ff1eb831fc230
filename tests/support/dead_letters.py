"""Dead letters as a test makes them, and what an operator does with them over HTTP."""

import json
from typing import Any
from urllib.parse import urlencode

from shared.domain.names import LETTER_TABLE, TASK_TABLE
from tests.support.fixit_app import FixIt
from tests.support.fixit_client import JSON, FixItClient
from tests.support.raw_messages import submitted
from tests.support.stores import POISON
from tests.support.web_client import Answer

PATH = "/api/deadletters"


def fail_next_task(fixit: FixIt) -> None:
    """No delivery of the next task can write its row; the poison trigger can."""
    fixit.wire.fail(op="insert", target=TASK_TABLE, status=400, code="InvalidInput", times=5)


def only_letter(fixit: FixIt) -> dict[str, Any]:
    """The row of the only letter there is."""
    (letter,) = fixit.stores.letters()
    return dict(letter)


def only_task(fixit: FixIt) -> dict[str, Any]:
    """The row of the only task there is."""
    (row,) = fixit.stores.tasks()
    return dict(row)


def bury(fixit: FixIt, *keys: str, **fields: Any) -> None:
    """The platform gave up the tasks of these keys: each is failed, and has a letter."""
    for key in keys:
        fixit.stores.put(submitted(key, **fields), POISON)
    fixit.idle()


def look(client: FixItClient, **query: Any) -> dict[str, Any]:
    """One page of the list; `klass` stands for `class`."""
    answer = client.get(f"{PATH}?{urlencode({name.replace('klass', 'class'): each for name, each in query.items()})}")
    assert answer.status == 200, answer
    return answer.json


def every_letter(client: FixItClient, **query: Any) -> list[dict[str, Any]]:
    """All letters that fit, page by page."""
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = look(client, **query, **cursor)
        found += page["letters"]
        if page["cursor"] is None:
            return found
        cursor = {"cursor": page["cursor"]}


def order(client: FixItClient, action: str, **body: Any) -> Answer:
    """A redrive or a discard, whatever it is answered."""
    return client.request("POST", f"{PATH}/{action}", json.dumps(body).encode(), JSON, timeout=90)


def done(client: FixItClient, action: str, **body: Any) -> dict[str, Any]:
    """A redrive or a discard that must be carried out."""
    answer = order(client, action, **body)
    assert answer.status == 200, answer
    return answer.json


def redrive(client: FixItClient, *ids: str, **body: Any) -> list[tuple[str, str | None]]:
    """What became of these letters: outcome and code, in their order."""
    return outcomes(done(client, "redrive", ids=ids, **body))


def outcomes(answer: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(each["outcome"], each.get("code")) for each in answer["letters"]]


def letter_id(letter: Any) -> str:
    """The id of a letter's row."""
    return f"{letter['PartitionKey']}~{letter['RowKey']}"


def change_letter(fixit: FixIt, letter: Any, **columns: Any) -> None:
    """Overwrite columns of a letter's row."""
    fixit.stores.change_row(LETTER_TABLE, letter["PartitionKey"], letter["RowKey"], **columns)
