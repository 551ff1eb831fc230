"""The evaluator that holds Terraform against Bicep: it knows what Terraform knows, or says that it does not."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.infra.not_understood import NotUnderstood
from tests.infra.terraform_plan import Plan
from tests.infra.terraform_values import Refused, Unknown
from tools.infra.program import find

EXPRESSIONS: dict[str, Any] = {
    '"a-${3}-${true}"': "a-3-true",
    r'"a\n\"b\""': 'a\n"b"',
    '{ b = 1, "c-d" = 2, ("e") = null }': {"b": 1, "c-d": 2, "e": None},
    "[for n in [3, 1, 2] : n if n > 1]": [3, 2],
    "[for key, value in { b = 2, a = 1 } : [key, value]]": [["a", 1], ["b", 2]],
    "[for at, value in [5, 6] : at]": [0, 1],
    '{ for name in toset(["b", "a", "b"]) : name => name if name != "b" }': {"a": "a"},
    '"1" == 1': False,
    'true && !false || "a" != "a"': True,
    '2 >= 1 && 1 <= 0 || 1 < 1 ? "yes" : "no"': "no",
    "[1, 2][1]": 2,
    '{ a = { b = "c" } }.a["b"]': "c",
    'merge({ a = 1, b = 2 }, { b = 3 })["b"]': 3,
    'concat(["a"], [], ["b"])': ["a", "b"],
    "flatten([1, [2, [3, []]]])": [1, 2, 3],
    "keys({ b = 1, a = 2 })": ["a", "b"],
    '[length({ a = 1 }), length(["b", "c"])]': [1, 2],
    'setproduct(["a", "b"], ["c", "d"])': [["a", "c"], ["a", "d"], ["b", "c"], ["b", "d"]],
    "alltrue([true, 1 > 2])": False,
    "alltrue([])": True,
    'contains(["a"], "b")': False,
    'join(",", ["a", "b"])': "a,b",
    'lower("Aé")': "aé",
    'replace("a-b-c", "-", "")': "abc",
    'substr("abcdef", 1, 3)': "bcd",
    'substr("abc", 0, 8)': "abc",
    'trimsuffix("https://a/", "/")': "https://a",
    'trimprefix("Standard_ZRS", "Standard_")': "ZRS",
    "tostring(false)": "false",
    'base64encode("ä")': "w6Q=",
    'jsondecode("{\\"a\\": [1, null]}").a[0]': 1,
    'uuidv5("11fb06fb-712d-4ddd-98c7-e71bbd588830", "a-b")': "2d796349-8c7e-55ec-9624-54ece82ed031",
    'regex("^[a-z]+$", "abc")': "abc",
    'can(regex("^[a-z]+$", "abc\\n"))': False,
    'can(regex("^[a-z](-?[a-z0-9]){1,11}$", "x--y"))': False,
}

NOT_KNOWN = {
    "function": 'sha256("a")',
    "splat": "[{ a = 1 }][*].a",
    "groups": "{ for n in [1] : n => n... }",
    "arguments": "merge([{ a = 1 }]...)",
    "arithmetic": "3 + 2",
    "minus": "-1",
    "escape": '"$${a}"',
    "directive": '"%{ if true }a%{ endif }"',
    "heredoc": "<<E\na\nE\n",
    "expression": 'replace("ab", "/a./", "")',
    "condition": "1 ? 2 : 3",
    "list-in-text": '"${[1]}"',
    "text-as-list": '[for a in "abc" : a]',
    "unknown-condition": "azurerm_key_vault.vault.id == null",
}


def evaluate(folder: Path, expression: str) -> Any:
    resource = 'resource "azurerm_key_vault" "vault" {\n  name = "kv"\n}\n'
    (folder / "main.tf").write_text(f"locals {{\n  asked = {expression}\n}}\n{resource}", encoding="utf-8")
    return Plan(folder=folder).local("asked")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression_has_the_value_of_the_language(tmp_path: Path, expression: str) -> None:
    assert evaluate(tmp_path, expression) == EXPRESSIONS[expression]


def test_values_are_those_of_terraform_itself(tmp_path: Path) -> None:
    terraform = find("terraform", variable="TERRAFORM")
    if terraform is None:
        pytest.skip("no terraform is found on PATH or in TERRAFORM")
    asked = f"jsonencode([{', '.join(EXPRESSIONS)}])"
    said = subprocess.run([terraform, "console"], input=asked, cwd=tmp_path, capture_output=True, text=True, check=True)
    answers = json.loads(json.loads(said.stdout.splitlines()[0]))
    assert dict(zip(EXPRESSIONS, answers, strict=True)) == EXPRESSIONS


@pytest.mark.parametrize("expression", NOT_KNOWN.values(), ids=NOT_KNOWN.keys())
def test_what_is_not_known_is_refused_and_not_guessed(tmp_path: Path, expression: str) -> None:
    with pytest.raises(NotUnderstood):
        evaluate(tmp_path, expression)


def test_module_is_refused(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text('module "a" {\n  source = "./a"\n}\n')
    with pytest.raises(NotUnderstood, match="module"):
        Plan(folder=tmp_path)


def test_what_the_block_says_is_known_to_others_and_the_rest_is_an_address(tmp_path: Path) -> None:
    assert evaluate(tmp_path, "azurerm_key_vault.vault.name") == "kv"
    unknown = evaluate(tmp_path, "azurerm_key_vault.vault.vault_uri")
    assert unknown == "${azurerm_key_vault.vault.vault_uri}"
    assert isinstance(unknown, Unknown)
    assert evaluate(tmp_path, '"x${trimsuffix(azurerm_key_vault.vault.vault_uri, "/")}y"') == (
        'x${trimsuffix(azurerm_key_vault.vault.vault_uri, "/")}y'
    )


TEMPLATE = """\
variable "names" {
  type = set(string)
}

variable "size" {
  default = 2

  validation {
    condition     = var.size > 1
    error_message = "size must be more than 1."
  }
}

resource "azurerm_queue" "queue" {
  for_each = toset(var.names)

  name = "q-${each.key}"

  dynamic "rule" {
    for_each = { b = 1, a = var.size }

    content {
      name  = rule.key
      value = rule.value
    }
  }
}

resource "azurerm_group" "group" {
  count = var.size

  name = "g${count.index}"
}

output "ids" {
  value = [for queue in azurerm_queue.queue : queue.id]
}

output "second" {
  value = azurerm_group.group[1].name
}
"""


def test_resources_are_planned_for_each_key_and_number(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(TEMPLATE)
    plan = Plan(folder=tmp_path, names=["y", "x"])
    rules = [{"name": "a", "value": 2}, {"name": "b", "value": 1}]
    assert {each.address: each.values for each in plan.resources} == {
        'azurerm_queue.queue["x"]': {"name": "q-x", "rule": rules},
        'azurerm_queue.queue["y"]': {"name": "q-y", "rule": rules},
        "azurerm_group.group[0]": {"name": "g0"},
        "azurerm_group.group[1]": {"name": "g1"},
    }
    ids = ['${azurerm_queue.queue["x"].id}', '${azurerm_queue.queue["y"].id}']
    assert plan.outputs == {"ids": ids, "second": "g1"}


def test_value_that_a_validation_refuses_is_refused_with_its_message(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(TEMPLATE)
    with pytest.raises(Refused, match="size must be more than 1"):
        Plan(folder=tmp_path, names=[], size=1)


def test_variable_without_value_and_value_without_variable_are_errors(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(TEMPLATE)
    with pytest.raises(LookupError, match="default"):
        Plan(folder=tmp_path)
    with pytest.raises(LookupError, match="no variable colour"):
        Plan(folder=tmp_path, names=[], colour="red")
