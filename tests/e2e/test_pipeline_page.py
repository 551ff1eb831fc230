"""docs/pipeline.md, done as it stands there."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from azure.core.exceptions import ResourceNotFoundError
from azure.data.tables import TableClient

from shared.domain import identity
from shared.services.filters import PHOTO
from tests.support.eventually import eventually
from tests.support.pipeline import SCAN, TRANSLATE, Pipeline, app_with, changed_app, disabled, queue_of
from tests.support.running import RunningHost, bare_environment
from tools.dev.paths import ROOT

PAGE = (ROOT / "docs/pipeline.md").read_text("utf-8")
BLOCKS = re.findall(r"^( *)```(?:python|json)\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)
WORK, ENTRY, UNNEEDED, EVENT, IDS, SETTINGS = (block for _, block in BLOCKS)
TRIAGE = "triage"


def test_page_keeps_to_a_hundred_columns() -> None:
    assert [line for line in PAGE.splitlines() if len(line) > 100] == []


@pytest.fixture(scope="module")
def added() -> Iterator[Pipeline]:
    with Pipeline(changed_app(ENTRY, triage=WORK), settings={"FIXIT_SWEEP_MINUTES": "0"}) as running:
        running.stores.make_all()
        yield running


def rank(pipeline: Pipeline, task_id: str) -> str:
    """What the filter of the page wrote for a task; nothing if there is no such row."""
    with TableClient.from_connection_string(pipeline.storage.connection_string, "fixittriage") as table:
        try:
            return str(table.get_entity(task_id[:2], task_id)["rank"])
        except ResourceNotFoundError:
            return ""


def test_filter_of_the_page_is_one_file_and_one_entry(added: Pipeline) -> None:
    accepted = {title: added.submit(title=title) for title in ("Water on the floor", "Tap drips")}
    for each in accepted.values():
        assert added.settled(each["receipt"])["state"] == "succeeded"
        assert added.steps(each["id"]) == ["record", TRIAGE]
    ranks = [rank(added, each["id"]) for each in accepted.values()]
    assert ranks == ["urgent", "normal"]
    task_id = accepted["Tap drips"]["id"]
    assert added.request("DELETE", f"/api/fixits/{task_id}").status == 200
    added.all_done(TRIAGE)
    assert rank(added, task_id) == ""


def test_added_filter_is_in_the_stats_and_has_letters_of_its_own(added: Pipeline) -> None:
    added.settled(added.submit(title="Tap drips")["receipt"])  # the first message made the queue
    added.stores.put("not json", queue_of(TRIAGE))
    eventually(lambda: [each for each in added.stores.letters() if each["PartitionKey"] == queue_of(TRIAGE)])
    stats = added.get("/api/stats").json
    assert queue_of(TRIAGE) in {each["queue"] for each in stats["steps"]}


def test_removal_of_the_page_passes_on_what_waits(added: Pipeline) -> None:
    changed = re.sub(r"is_needed=.*\n", UNNEEDED.strip() + "\n", ENTRY)
    assert changed != ENTRY
    added.host.kill()
    with added.host_of(changed_app(changed, triage=WORK)) as removing:
        added.use(removing)
        accepted = added.submit(title="Tap drips")
        assert added.settled(accepted["receipt"])["state"] == "succeeded"
        assert added.steps(accepted["id"]) == ["record"]


def test_message_of_the_page_is_the_example() -> None:
    shown, example = json.loads(EVENT), json.loads((ROOT / "docs/examples/photo-with-task.v1.json").read_text("utf-8"))
    assert shown == {name: example[name] for name in shown}
    assert set(example) - set(shown) == {"datacontenttype", "deferrals", "redrives"}


def test_ids_of_the_page_are_those_of_the_app() -> None:
    names: dict[str, str] = {"caller": "queue:fixit-photos", "key": "scanner-4711", "name": PHOTO.name}
    exec(IDS, names)
    assert names["subject"] == identity.task_id(names["caller"], names["key"]) == json.loads(EVENT)["subject"]
    assert names["id"] == identity.step_event_id(names["subject"], PHOTO.name) == json.loads(EVENT)["id"]


APP, OWN = app_with(SCAN, TRANSLATE), (SCAN, f"{SCAN}_poison")


def test_filter_runs_as_an_app_of_its_own(added: Pipeline) -> None:
    others = printed_settings(*OWN)
    assert others["AzureWebJobs.record.Disabled"] == "true"
    assert not set(disabled(*OWN)) & set(others)
    added.host.kill()
    with added.host_of(APP, None, **disabled(*OWN)) as main:
        added.use(main)
        waiting, passed = added.submit(title="scan translate"), added.submit(title="translate")
        assert added.settled(passed["receipt"])["state"] == "succeeded"
        added.waits(SCAN)
        assert added.state(waiting["id"]) == "processing"
        with added.host_of(APP, None, **others) as alone:
            assert added.settled(waiting["receipt"])["state"] == "succeeded"
            added.all_done(SCAN, TRANSLATE)
            assert executed(alone) == {SCAN}
        assert not set(OWN) & executed(main)
        assert added.steps(waiting["id"]) == ["record", SCAN, TRANSLATE]
        assert added.request("DELETE", f"/api/fixits/{waiting['id']}").status == 200
        added.all_done(SCAN, TRANSLATE)
        assert added.done(waiting["id"])[-1] == ("undid", SCAN)  # the main app undoes what the other did


def printed_settings(*kept: str) -> dict[str, str]:
    """What the page's code prints, for other functions than the photo's."""
    code = SETTINGS.replace('{"photo", "photo_poison"}', repr(set(kept)))
    assert code != SETTINGS
    env = {**bare_environment(), "PYTHONDONTWRITEBYTECODE": "1"}
    printed = subprocess.run([sys.executable, "-c", code], cwd=APP, env=env, capture_output=True, text=True, check=True)
    return dict(line.split("=", 1) for line in printed.stdout.splitlines())


def executed(host: RunningHost) -> set[str]:
    """The functions that a host called."""
    return {found[1] for line in host.lines() if (found := re.search(r"Executing 'Functions\.(\w+)'", line))}
