"""A stamp tells whether a folder must be made again."""

from pathlib import Path

import pytest

from tools.dev.stamp import Stamp, digest


@pytest.fixture
def stamp(tmp_path: Path) -> Stamp:
    contents = tmp_path / "made" / "inside"
    contents.mkdir(parents=True)
    for name in ("one", "two"):
        (contents / name).mkdir()
    return Stamp(tmp_path / "made", contents)


def test_stamp_finished_is_of_what_it_was_made_from_alone(stamp: Stamp) -> None:
    stamp.begin()
    stamp.finish("a")
    assert stamp.is_of("a")
    assert not stamp.is_of("b")
    assert not stamp.is_unfinished


def test_stamp_with_an_entry_gone_is_of_nothing(stamp: Stamp) -> None:
    stamp.finish("a")
    (stamp.contents / "two").rmdir()
    assert not stamp.is_of("a")


def test_stamp_with_an_entry_more_is_still_right(stamp: Stamp) -> None:
    stamp.finish("a")
    (stamp.contents / "three").mkdir()
    assert stamp.is_of("a")


def test_stamp_begun_and_interrupted_is_unfinished(stamp: Stamp) -> None:
    stamp.finish("a")
    stamp.begin()
    assert stamp.is_unfinished
    assert not stamp.is_of("a")


def test_stamp_of_a_folder_made_by_hand_is_neither(stamp: Stamp) -> None:
    assert not stamp.is_unfinished
    assert not stamp.is_of("a")


@pytest.mark.parametrize("text", ["", "{", "[]", '"a"'])
def test_stamp_damaged_is_unfinished(stamp: Stamp, text: str) -> None:
    stamp.finish("a")
    (file,) = stamp.folder.glob("*.json")
    file.write_text(text, encoding="utf-8")
    assert stamp.is_unfinished
    assert not stamp.is_of("a")


def test_digest_differs_by_any_part_and_its_place(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"ab")
    two.write_bytes(b"c")
    digests = {digest([one, two]), digest([two, one]), digest([one], "c", ""), digest([one]), digest([], "a", "bc")}
    assert len(digests) == 5
    assert digest([one, two]) == digest([one, two])
