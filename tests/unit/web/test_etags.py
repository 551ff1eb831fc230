"""A tag names one version of a thing; If-Match and If-None-Match compare it as HTTP says."""

import re

import pytest

from shared.domain.tag import tag_of
from shared.web.etags import matches_any, none_match

TAG = tag_of("W/\"datetime'2026-07-01T08%3A00%3A00Z'\"")
OTHER = tag_of("another version")


def test_a_tag_is_strong_short_and_the_same_for_the_same_version() -> None:
    assert re.fullmatch(r'"[0-9a-f]{24}"', TAG)
    assert TAG == tag_of("W/\"datetime'2026-07-01T08%3A00%3A00Z'\"") != OTHER


@pytest.mark.parametrize(
    "header", [TAG, f" {TAG} ", f"{OTHER}, {TAG}", f"{OTHER},{TAG}", f',, "a,b" , {TAG},', "*", " * "]
)
def test_a_header_that_names_the_tag_matches_both_ways(header: str) -> None:
    assert matches_any(header, TAG)
    assert not none_match(header, TAG)


@pytest.mark.parametrize("header", [f"W/{TAG}", f"{OTHER}, W/{TAG}"])
def test_a_weak_tag_will_do_to_save_a_transfer_but_not_to_change_anything(header: str) -> None:
    assert not matches_any(header, TAG)
    assert not none_match(header, TAG)


@pytest.mark.parametrize(
    "header",
    [
        *(None, "", " ", OTHER, TAG.strip('"'), TAG.upper(), f"w/{TAG}", f"W/ {TAG}", f"x{TAG}", f"{TAG}{OTHER}"),
        *(f"{TAG} {OTHER}", TAG[:-1], f"*, {TAG}", f"{OTHER}, *", '"' * 3_000, '",' * 3_000, f"{' ' * 3_000}{TAG}"),
    ],
)
def test_what_does_not_name_the_tag_or_is_no_list_of_tags_matches_nothing(header: str | None) -> None:
    assert not matches_any(header, TAG)
    assert none_match(header, TAG)
