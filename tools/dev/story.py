"""What `dev.py demo` shows: a task that is done, one with a photo, a mail and a callback, a message that nobody can do,
a task that turns poison.

Runs in the virtual environment, where the storage SDK is.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from azure.core.exceptions import AzureError, ResourceNotFoundError
from azure.data.tables import TableServiceClient
from azure.storage.blob import BlobServiceClient
from azure.storage.queue import QueueClient

from tools.dev.demo_calls import call, follow, wait_for
from tools.dev.problem import Problem
from tools.dev.stage import Stage
from tools.dev.story_photo import Targets, tell_of_photo

TASK = {"title": "The lamp in room 4 is broken", "owner": "Facilities"}
NO_TASK = "not json at all"
LETTERS = "fixitdeadletters"
IMPATIENT = {"AzureFunctionsJobHost__extensions__queues__visibilityTimeout": "00:00:00.2"}
"""The pause between deliveries that failed: host.json's ten seconds would make five of them long to watch."""
WIDTH = 100


def tell(host: str, show: Callable[[str], None]) -> dict[str, Any]:
    """Run the story, showing each step as it happens. What happened, as data. Problem if it does not end well."""
    began = time.monotonic()
    show("1  Starting the storage emulator and the app, on free ports, with data of their own")
    with Targets() as targets, Stage(host=host, settings={**IMPATIENT, **targets.settings}) as stage:
        show(f"   ready at {stage.url} after {time.monotonic() - began:.1f} s; its log is {stage.log}")
        show(f"2  POST /api/fixits  {json.dumps(TASK)}")
        accepted = call(f"{stage.url}/api/fixits", TASK)
        show(f"   202 Accepted: id {accepted['id']}")
        show("3  Following its receipt")
        states = list(follow(stage.url + accepted["links"]["receipt"], show))
        task = call(stage.url + accepted["links"]["task"])
        pictured = tell_of_photo(stage.url, targets, show, number=4)
        with TableServiceClient.from_connection_string(stage.connection_string) as tables:
            show(f"5  Putting a message on the queue that nobody can do: {NO_TASK}")
            with QueueClient.from_connection_string(stage.connection_string, "fixits") as queue:
                queue.send_message(NO_TASK)
            hopeless = _letter(tables, stage, show)
            show("6  Sending it again after somebody damaged its row: a message that turns poison")
            _damage(tables, accepted["id"])
            call(f"{stage.url}/api/fixits", TASK, key=accepted["key"])
            show("   the record step fails; the platform delivers again, counts, and gives it up")
            poisoned = _letter(tables, stage, show, after=hopeless)
            show("7  What storage holds now")
            rows = {name: _rows(tables, name) for name in ("fixits", LETTERS)}
        for name, held in rows.items():
            for row in held:
                show(f"   table {name}")
                for column, value in row.items():
                    show(f"     {column:<18}{value}")
    seconds = round(time.monotonic() - began, 1)
    if states[-1] != "succeeded" or hopeless["text"] != NO_TASK or poisoned["dequeueCount"] != 5:
        raise Problem(f"The demo did not end well: the task is {states[-1]}; the letters are {hopeless}, {poisoned}.")
    show(f"Done in {seconds} s. All of it is stopped, and its data gone.")
    return {
        "seconds": seconds,
        "accepted": accepted,
        "states": states,
        "task": task,
        "pictured": pictured,
        "deadLetters": [hopeless, poisoned],
        "rows": rows,
    }


def _damage(tables: TableServiceClient, task_id: str) -> None:
    """Make a row unreadable, as a careless hand might."""
    row = {"PartitionKey": task_id[:2], "RowKey": task_id, "steps": "?"}
    tables.get_table_client("fixits").update_entity(row)


def _letter(
    tables: TableServiceClient, stage: Stage, show: Callable[[str], None], *, after: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The next dead letter with its text, shown."""
    known = after["RowKey"] if after else ""

    def look() -> dict[str, Any] | None:
        # The other partitions hold notes: the last error of a message that is still being delivered.
        letters = [row for row in _rows(tables, LETTERS) if row["PartitionKey"] == "fixits" and row["RowKey"] != known]
        return letters[0] if letters else None

    letter = wait_for(look, "dead letter")
    text = wait_for(lambda: _text_of(stage.connection_string, letter), "text of the dead letter")
    count = letter["dequeueCount"]
    show(f"   a dead letter after {count} {'delivery' if count == 1 else 'deliveries'}: {letter['class']}")
    show(f"   because {letter['reason']}")
    show(f"   with its text, byte for byte: {text}")
    return {**letter, "text": text}


def main(words: list[str]) -> int:
    """Tell it for people, or with --json as one object on standard output and its progress on standard error.

    The first word is the host that runs the app.
    """
    host, as_json = words[0], "--json" in words
    out = sys.stderr if as_json else sys.stdout

    def show(line: str) -> None:
        print(line if len(line) <= WIDTH else line[: WIDTH - 1] + "…", file=out, flush=True)

    try:
        told = tell(host, show)
        if as_json:
            print(json.dumps(told, indent=2, default=str), flush=True)
    except (Problem, AzureError) as problem:
        print(f"dev.py: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # who watched has gone, as `| head` does; nobody is left to be told
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def _rows(tables: TableServiceClient, name: str) -> list[dict[str, Any]]:
    """The rows of a table, without what they leave empty; none while there is no such table."""
    try:
        found = [dict(row) for row in tables.get_table_client(name).list_entities()]
    except ResourceNotFoundError:
        return []
    return [{column: value for column, value in row.items() if value != ""} for row in found]


def _text_of(connection_string: str, letter: dict[str, Any]) -> str | None:
    """The text beside a letter, which is written after it."""
    name = f"{letter['PartitionKey']}/{letter['RowKey']}"
    try:
        with BlobServiceClient.from_connection_string(connection_string) as blobs:
            held: bytes = blobs.get_blob_client("fixit-deadletters", name).download_blob().readall()
    except ResourceNotFoundError:
        return None
    return held.decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
