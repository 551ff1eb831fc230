"""Entries of lists, and values that belong together: both templates refuse the same ones, and say the same of them."""

from collections.abc import Mapping
from typing import Any

import pytest

from shared.domain.text_rules import QUEUE_NAME, matches
from tests.infra.bicep_compiler import asked
from tests.infra.bicep_snapshot import parameters
from tests.infra.deployment import TEMPLATES, as_terraform, camel, deployment
from tests.infra.terraform_plan import Plan
from tests.infra.terraform_values import Refused
from tools.dev.cors import SETTING, upload_origins
from tools.dev.paths import ROOT
from tools.infra.bicep import Bicep

PLAIN = parameters("plain")
SOMEBODY = "11111111-1111-4111-8111-111111111111"


def told_apart(taken: tuple[str, ...], faulty: tuple[str, ...]) -> Mapping[str, bool]:
    return dict.fromkeys(taken, True) | dict.fromkeys(faulty, False)


QUEUES = told_apart(
    ("answers", "abc", "a-b", "a-bc", "ab-c", "0-9", "a-b-c", "answers-of-others-2", "a" * 63),
    (
        *("", " ", "ab", "a-", "a" * 64, "Answers", "ANSWERS", "-answers", "answers-", "my--answers", "my_answers"),
        *("my.answers", "my answers", " answers", "answers\n", "antwörten", "ａｂｃ", "a,b", "*"),
    ),
)
ORIGINS = told_apart(
    (
        *("https://app.example.com", "http://localhost:3000", "https://a", "https://a.example.com:65535"),
        *("http://127.0.0.1:8080", "https://xn--bcher-kva.example", f"https://{'a' * 63}.example.com"),
    ),
    (
        *("", " ", "*", "null", "https://", "http://", "https:", "app.example.com", "//app.example.com", "https://*"),
        *("ftp://app.example.com", "file://app", "https:/app.example.com", "https://*.example.com", "https://a b"),
        *("https://app.example.com/", "https://app.example.com/x", "https://a.example.com?x=1", "https://a#x"),
        *("https://app.example.com:", "https://a:100000"),
        *("https://a:1:2", "https://a:x", "https://:443", "https://me@a", "https://.example.com", "https://a..b"),
        *("https://-a.b", "https://a-.b", "https://a.", "https://App.example.com", "HTTPS://app.example.com"),
        *("https://a,https://b", " https://a", "https://a ", "https://a\n", "https://bücher.example", "https://a_b"),
        f"https://{'a' * 64}.example.com",
    ),
)
NUMBERS = told_apart(
    ("1", "60", "0.5", "120.25", "0", "007"),
    ("", " ", "x", "-1", "+1", "1e3", "1.", ".5", ".", "1.2.3", "1,5", "1 0", " 1", "1\n", "nan", "inf", "１"),
)
RULES = [("isQueue", QUEUES), ("isOrigin", ORIGINS), ("isNumber", NUMBERS)]
GIVEN = [("reply_queues", QUEUES), ("upload_origins", ORIGINS)]

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "queue": (
        {"replyQueues": ["answers", "Orders", ""]},
        "replyQueues may not hold 'Orders', '': a queue has 3 to 63 lower-case letters, digits and single dashes, "
        "and no dash first or last",
    ),
    "queue-of-the-app": (
        {"replyQueues": ["answers", "fixits", "fixit-photos"]},
        "replyQueues may not hold 'fixits', 'fixit-photos': "
        "queues of the app, and those that end in -poison, are not for replies",
    ),
    "queue-of-what-failed": (
        {"replyQueues": ["answers-poison"]},
        "replyQueues may not hold 'answers-poison': "
        "queues of the app, and those that end in -poison, are not for replies",
    ),
    "origin": (
        {"uploadOrigins": ["https://app.example.com", "*", "https://app.example.com/"]},
        "uploadOrigins may not hold '*', 'https://app.example.com/': an origin is http:// or https://, "
        "a host in lower case, a port if need be, and nothing after it",
    ),
    "tenant-of-no-registration": (
        {"signInTenantId": SOMEBODY},
        "signInTenantId needs signInClientId: it is the tenant of that app registration",
    ),
    "setting-without-its-number": (
        {"settings": {"FIXIT_TARGET_SECONDS": "", "FIXIT_GIVE_UP_DAYS": "a week", "FIXIT_MAIL_FROM": ""}},
        "settings must have a number, in digits, for FIXIT_GIVE_UP_DAYS, FIXIT_TARGET_SECONDS",
    ),
    "target-of-nothing": (
        {"settings": {"FIXIT_TARGET_SECONDS": "0.0"}},
        "settings must have more than 0 for FIXIT_TARGET_SECONDS: alerts compare with it",
    ),
}
SECOND = {"queue-of-what-failed", "queue-of-the-app", "target-of-nothing", "tenant-of-no-registration"}
"""What Bicep, which takes seconds for each, is asked by the exhaustive tests only."""
TAKEN: dict[str, Any] = {
    "replyQueues": [name for name, is_taken in QUEUES.items() if is_taken],
    "uploadOrigins": [origin for origin, is_taken in ORIGINS.items() if is_taken],
    "signInClientId": SOMEBODY,
    "signInTenantId": SOMEBODY,
    "settings": {"FIXIT_TARGET_SECONDS": "0.5", "FIXIT_PHONE_REGION": ""},
}


def test_the_app_takes_the_same_queues() -> None:
    assert {name: matches(QUEUE_NAME, name) for name in QUEUES} == QUEUES


@pytest.mark.parametrize("origin", TAKEN["uploadOrigins"])
def test_the_emulator_takes_each_origin(origin: str) -> None:
    assert upload_origins(0, {SETTING: origin}, ROOT) == (origin,)


def test_bicep_has_the_same_rules(bicep: Bicep) -> None:
    folder = bicep.copy("infra")
    asks = [f"output {name} array = map({name}Of, each => {name}(each))" for name, _ in RULES]
    told = [f"param {name}Of string[]" for name, _ in RULES]
    names = ", ".join(name for name, _ in RULES)
    text = "\n".join((f"import {{ {names} }} from 'rules.bicep'", *told, *asks))
    (folder / "bicep" / "asked.bicep").write_text(text, encoding="utf-8")
    said, snapshot = asked(bicep, folder, "asked.bicep", {f"{name}Of": [*cases] for name, cases in RULES})
    assert said == ""
    for name, cases in RULES:
        assert dict(zip(cases, snapshot["outputs"][name], strict=True)) == cases


@pytest.mark.parametrize(
    ("variable", "entry", "is_taken"),
    [(variable, entry, is_taken) for variable, cases in GIVEN for entry, is_taken in cases.items()],
    ids=ascii,
)
def test_terraform_has_the_same_rules_for_entries(variable: str, entry: str, is_taken: bool) -> None:
    values = as_terraform(PLAIN | {variable: [entry]})
    if is_taken:
        assert Plan(**values).resources
    else:
        with pytest.raises(Refused, match=f"^{variable} may not hold '"):
            Plan(**values)


@pytest.mark.parametrize(("text", "is_number"), NUMBERS.items(), ids=ascii)
def test_terraform_has_the_same_rule_for_numbers(text: str, is_number: bool) -> None:
    values = as_terraform(PLAIN | {"settings": {"FIXIT_SWEEP_MINUTES": text}})
    if is_number:
        assert Plan(**values).resources
    else:
        with pytest.raises(Refused, match=r"^settings must have a number, in digits, for FIXIT_SWEEP_MINUTES\.$"):
            Plan(**values)


@pytest.mark.parametrize(("values", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_terraform_says_which_entry_is_refused_and_why(values: dict[str, Any], message: str) -> None:
    with pytest.raises(Refused) as refused:
        Plan(**as_terraform(PLAIN | values))
    assert camel(str(refused.value)) == f"{message}."


@pytest.mark.parametrize(
    ("values", "message"),
    [pytest.param(*case, id=name, marks=[pytest.mark.full] * (name in SECOND)) for name, case in REFUSED.items()],
)
def test_bicep_says_the_same(bicep: Bicep, values: dict[str, Any], message: str) -> None:
    said, snapshot = asked(bicep, bicep.copy("infra"), "main.bicep", PLAIN | values)
    assert snapshot is None
    assert message in said


def test_both_take_all_that_keeps_the_rules(bicep: Bicep) -> None:
    said, snapshot = asked(bicep, bicep.copy("infra"), "main.bicep", PLAIN | TAKEN)
    assert said == ""
    assert snapshot["predictedResources"]
    assert Plan(**as_terraform(PLAIN | TAKEN)).resources


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("scenario", ["plain", "everything"])
def test_the_data_account_is_told_by_its_name(template: Any, scenario: str) -> None:
    deployed = deployment(template, scenario)
    assert deployed.outputs["dataAccountName"] == deployed.account("d", "westeurope").name
