"""Receipts: what we signed is believed, anything else is not."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.identity import KEY_CALLER, caller_digest
from shared.domain.receipt import Receipt, sign, verify

OLD, NEW = b"o" * 32, b"n" * 32
RECEIPT = Receipt(
    task_id="0a7643c1-5e72-57c2-b626-a8a763f09106",
    fingerprint="62c2b0a793cd8139958eba6752b899c56fcfa220567096052fd0328d0f2b453d",
    accepted_at=datetime(2026, 11, 30, 15, 24, 46, 123456, tzinfo=UTC),
    caller_digest=caller_digest("person:t:o"),
)
FROZEN = (
    "v2.CnZDwV5yV8K2JqinY_CRBmLCsKeTzYE5lY66Z1K4mcVvz6IgVnCWBS_QMo0PK0U9AAZhgAKDLcDb0EFPuVdVcw"
    ".CnmrC8xbK0WldTw-Bny6Y3MnWVIcQA3wPL0vItVQyU4"
)
FROZEN_V1 = (
    "v1.CnZDwV5yV8K2JqinY_CRBmLCsKeTzYE5lY66Z1K4mcVvz6IgVnCWBS_QMo0PK0U9AAZhgAKDLcA"
    ".rnIGawAvlal8gjHinSVhPsWI4z_1DOLLIIL92VmVwgA"
)


def test_receipt_proves_what_was_accepted() -> None:
    assert verify(sign(RECEIPT, [NEW]), [NEW]) == RECEIPT


def test_receipt_form_is_frozen() -> None:
    assert sign(RECEIPT, [OLD]) == FROZEN


def test_receipt_of_the_version_before_is_one_of_a_service() -> None:
    assert verify(FROZEN_V1, [NEW, OLD]) == replace(RECEIPT, caller_digest=caller_digest(KEY_CALLER))
    assert verify(FROZEN_V1, [NEW]) is None


def test_receipt_of_one_version_is_none_of_another() -> None:
    assert verify("v1" + FROZEN[2:], [OLD]) is None
    assert verify("v2" + FROZEN_V1[2:], [OLD]) is None


def test_first_key_signs_and_every_key_verifies() -> None:
    assert verify(sign(RECEIPT, [OLD]), [NEW, OLD]) == RECEIPT
    assert verify(sign(RECEIPT, [NEW, OLD]), [OLD]) is None


@pytest.mark.parametrize("position", range(0, 133, 3))
def test_receipt_with_one_character_changed_is_not_ours(position: int) -> None:
    token = sign(RECEIPT, [NEW])
    other = "A" if token[position] != "A" else "B"
    assert verify(token[:position] + other + token[position + 1 :], [NEW]) is None


@pytest.mark.parametrize(
    "token", ["", "v1", "v1..", "v2..", "v2.AAAA.AAAA", "v3" + FROZEN[2:], FROZEN + "=", FROZEN + ".x"]
)
def test_text_of_another_form_is_not_ours(token: str) -> None:
    assert verify(token, [OLD]) is None


@given(st.text(max_size=150))
def test_no_text_at_all_is_believed_or_raises(text: str) -> None:
    assert verify(text, [OLD]) is None
    assert verify(f"v1.{text}.{text}", [OLD]) is None
    assert verify(f"v2.{text}.{text}", [OLD]) is None
