"""The README's walk-through, done as it stands there."""

import json
import re
import shlex

from tests.support.fixit_app import FixIt
from tests.support.fixit_client import JSON
from tools.dev.paths import ROOT

README = (ROOT / "README.md").read_text("utf-8")


def _command(beginning: str) -> list[str]:
    found = re.search(rf"^{re.escape(beginning)}(?:.*\\\n)*.*$", README, re.MULTILINE)
    assert found, f"the README no longer shows {beginning}"
    return shlex.split(found[0].replace("\\\n", " "))


def test_curl_of_the_readme_is_answered_as_the_readme_shows(fixit: FixIt) -> None:
    words = _command("curl -i http://localhost:7071/api/fixits")
    assert words[words.index("-H") + 1] == "Content-Type: application/json"
    answer = fixit.request("POST", "/api/fixits", words[words.index("-d") + 1].encode(), JSON)
    shown_head, _, shown_body = README.partition("```http\n")[2].partition("```")[0].partition("\n\n")
    assert shown_head.splitlines()[0] == f"HTTP/1.1 {answer.status} Accepted"
    names = {line.partition(":")[0].lower() for line in shown_head.splitlines()[1:]}
    assert names <= set(answer.headers)
    shown = json.loads(shown_body)
    assert {key: set(value) for key, value in shown.items() if isinstance(value, dict)} == {
        "links": set(answer.json["links"])
    }
    assert list(shown) == list(answer.json)
    for link in answer.json["links"].values():
        folder = link[: link.rindex("/") + 1]
        assert any(line.startswith(f"curl http://localhost:7071{folder}") for line in README.splitlines())
    assert fixit.settled(answer.json["receipt"])["state"] == "succeeded"
    assert fixit.get(answer.json["links"]["task"]).json["title"] == "The lamp in room 4 is broken"
