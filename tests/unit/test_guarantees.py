"""Each promise of docs/guarantees.md names the test that proves it."""

from tools.dev.paths import ROOT

TEXT = (ROOT / "docs" / "guarantees.md").read_text("utf-8")


def test_each_promise_names_its_proof() -> None:
    promises = TEXT.partition("## Promises")[2].partition("\n## ")[0].split("\n### ")[1:]
    assert len(promises) > 5
    assert [promise.partition("\n")[0] for promise in promises if "*Proof:* `tests/" not in promise] == []
