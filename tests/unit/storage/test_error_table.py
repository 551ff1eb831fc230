"""The table of errors against the pinned SDKs: nothing that they know is left out, nothing in it is made up.

When this fails after an update, an SDK has brought an error: decide in `error_table` what it means.
"""

import enum
import importlib
import inspect
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from shared.storage.error_table import CLASSES, CODES, CODES_BY_MEANING, DOWN_STATUSES, Meaning
from shared.storage.faults import SDK_ERRORS
from tests.unit.storage.documented import DOCUMENTED
from tools.dev.paths import ROOT

SDKS = ("azure.core.exceptions", "azure.data.tables", "azure.identity", "azure.storage.blob", "azure.storage.queue")
WITH_CODES = ("azure.data.tables", "azure.storage.blob", "azure.storage.queue")

NOT_IN_AN_SDK = {
    "BlobImmutableDueToLegalHold": "https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes",
    "BlobImmutableDueToPolicy": "https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes",
}
"""Codes that a service documents and no SDK enumerates, and that their status alone would not tell right."""

Names = Mapping[str, Any]
"""What a module holds, by name."""


def module(name: str) -> Names:
    return vars(importlib.import_module(name))


def everything() -> Names:
    return {f"{name}.{key}": each for name in SDKS for key, each in module(name).items() if not key.startswith("_")}


def classes(names: Names, kind: type) -> Iterator[type[Any]]:
    return (each for each in names.values() if inspect.isclass(each) and issubclass(each, kind))


def errors(names: Names) -> set[str]:
    return {each.__name__ for each in classes(names, Exception)}


def codes(names: Names) -> set[str]:
    kinds = [each for each in classes(names, enum.Enum) if each.__name__.endswith("ErrorCode")]
    return {str(member.value) for kind in kinds for member in kind}


def unmapped(names: Names) -> set[str]:
    return errors(names) - CLASSES.keys() | codes(names) - CODES.keys()


def test_every_error_that_the_sdks_know_has_a_meaning() -> None:
    assert unmapped(everything()) == set()


@pytest.mark.parametrize("name", [f"{name}.aio" for name in SDKS if name != "azure.core.exceptions"])
def test_asynchronous_half_of_an_sdk_has_no_errors_of_its_own(name: str) -> None:
    assert unmapped(module(name)) == set()


def test_every_code_is_in_the_table_once() -> None:
    times = Counter(code for _, group in CODES_BY_MEANING for code in group.split())
    assert {code for code, n in times.items() if n > 1} == set()


def test_table_holds_nothing_that_the_sdks_do_not_know() -> None:
    assert CODES.keys() - codes(everything()) == NOT_IN_AN_SDK.keys()
    assert CLASSES.keys() - errors(everything()) == {"TimeoutError"}


@pytest.mark.parametrize("name", SDKS)
def test_error_that_a_newer_sdk_brings_is_found(name: str) -> None:
    parents: list[type] = [Exception, *classes(module(name), Exception)]
    for parent in parents:
        newer = {**module(name), "QueuePausedError": type("QueuePausedError", (parent,), {})}
        assert unmapped(newer) == {"QueuePausedError"}


@pytest.mark.parametrize("name", WITH_CODES)
def test_code_that_a_newer_sdk_brings_is_found(name: str) -> None:
    (kind,) = {each for each in classes(module(name), enum.Enum) if each.__name__.endswith("ErrorCode")}
    known = {each.name: each.value for each in kind}
    added = {"QUEUE_PAUSED": "QueuePaused"}
    for kind_name, members in ((kind.__name__, {**known, **added}), ("PauseErrorCode", added)):
        newer = {**module(name), kind_name: enum.Enum(kind_name, members)}
        assert unmapped(newer) == {"QueuePaused"}


def test_every_deployed_sdk_is_looked_at() -> None:
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    deployed = {line.split("==")[0].replace("-", ".") for line in lines if line.startswith("azure-")}
    assert deployed - {"azure.functions"} == set(SDKS) - {"azure.core.exceptions"}


def test_every_class_of_the_table_is_one_that_is_caught() -> None:
    kinds = [each for each in classes(everything(), Exception) if each.__name__ in CLASSES]
    assert [each for each in kinds if not issubclass(each, SDK_ERRORS)] == []


def test_every_code_has_a_documented_status() -> None:
    assert {code for _, code in DOCUMENTED} == CODES.keys()


def test_status_that_means_down_is_contradicted_by_no_code_except_that_something_is_not_found() -> None:
    others = {code for status, code in DOCUMENTED if status in DOWN_STATUSES and CODES[code] is not Meaning.DOWN}
    assert {code for code in others if CODES[code] is Meaning.OURS or not code.endswith("NotFound")} == set()


DECIDED = {
    Meaning.DOWN: r"\w+Being(Created|Deleted|Rehydrated)|\w+Disabled|Auth\w+|NoAuth\w+|InvalidAuth\w+|Insufficient\w+"
    r"|Server\w+|InternalError|OperationTimedOut|\w+Immutable\w+|InvalidHeaderValue",
    Meaning.MISSING: r"(Container|Queue|Table)NotFound",
    Meaning.EXPECTED: r"(Blob|Container|Entity|Queue|Resource|Table)AlreadyExists"
    r"|(Blob|Entity|Message|Resource)NotFound|ConditionNotMet|UpdateConditionNotSatisfied|PopReceiptMismatch",
    Meaning.OURS: r"\w+TooLarge|\w+TooLong|TooMany\w+|InvalidInput|OutOfRange\w+|InvalidXml\w+|PropertyName\w+",
}


@pytest.mark.parametrize("meaning", Meaning)
def test_codes_mean_what_was_decided(meaning: Meaning) -> None:
    decided = {code for code in CODES if re.fullmatch(DECIDED[meaning], code)}
    assert decided
    assert {code: CODES[code] for code in decided} == dict.fromkeys(decided, meaning)
