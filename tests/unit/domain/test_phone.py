"""Phone numbers as people write them."""

import pytest

from shared.domain.phone import REGION, as_e164
from shared.domain.text_rules import PHONE, matches


@pytest.mark.parametrize(
    "written", ["+61491570006", "+61 491 570 006", "+61-491-570-006", "+61 (491) 570.006", " +61\u00a0491\u2011570 006"]
)
@pytest.mark.parametrize("region", ["", "AU", "DE"])
def test_international_number_is_taken_however_it_is_written(written: str, region: str) -> None:  # NT-08
    assert as_e164(written, region=region) == "+61491570006"


@pytest.mark.parametrize(("written", "region"), [("0491 570 006", "AU"), ("(0491) 570-006", "AU")])
def test_national_number_is_one_of_its_region(written: str, region: str) -> None:  # NT-08
    assert as_e164(written, region=region) == "+61491570006"
    assert as_e164(written, region="DE") == "+49491570006"
    for other in ("", "US", "IT", "au", "+61"):
        assert not matches(PHONE, as_e164(written, region=other))


@pytest.mark.parametrize(
    "written",
    [
        *("+", "555-555-5555", "٠٤٩١", "+٤٩ ٣٠", "０４９１５７０００６", "", "0", "000", "00 61 491 570 006", "0491"),
        *("+61 (0)491 570 006", "+61 ( 0 ) 491 570 006", "+0491570006", "+61491570006\n", "+61/491", "++61491570006"),
        *("+61491570006 ext 1", "tel:+61491570006", "0491570006" * 2, "+61491570006,+61491570007"),
    ],
)
@pytest.mark.parametrize("region", ["", "AU"])
def test_anything_else_is_no_number(written: str, region: str) -> None:  # NT-08
    assert not matches(PHONE, as_e164(written, region=region))


@pytest.mark.parametrize(("region", "is_one"), [("AU", True), ("DE", True), ("IT", False), ("au", False), ("", False)])
def test_region_is_a_country_whose_0_can_be_left_out(region: str, is_one: bool) -> None:
    assert matches(REGION, region) == is_one
