"""JSON as Newtonsoft's reader takes it."""

from pathlib import Path

import pytest

from devhost.settings.lenient_json import JsonError, parse_json_object, read_json_object


def test_json_with_comments_and_trailing_commas_is_read() -> None:
    text = """// head
    { /* a
    comment */ "a": [1, 2,], 'b': 'it"s', c_1: {"d": null,}, // tail
    }"""
    assert parse_json_object(text).root == {"a": [1, 2], "b": 'it"s', "c_1": {"d": None}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("5.0", 5.0), ("1e1", 10.0), ("-3", -3), ("0x10", 16), ("010", 8), ("0", 0), ("0.5", 0.5)),
        *(("true", True), ("false", False), ("null", None)),
        *(
            (r'"\u00e9\n\/\\"', "é\n/\\"),
            (r'"\ud83d\ude00"', "😀"),
            ('"a\nb"', "a\nb"),
            ('"//no comment"', "//no comment"),
        ),
    ],
)
def test_json_value_is_read(text: str, value: object) -> None:
    read = parse_json_object(f'{{"v": {text}}}').root["v"]
    assert read == value
    assert type(read) is type(value)


def test_json_key_twice_in_any_case_is_named_and_the_last_counts() -> None:
    document = parse_json_object('{"a": {"b": 1, "c": 0, "b": 2, "B": 3}}')
    assert document.root == {"a": {"c": 0, "b": 2, "B": 3}}
    assert document.repeated == ("a.b", "a.B")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        *(("", "line 1, column 1"), ("[]", "line 1, column 1"), ("5", "line 1, column 1")),
        *(('{"a": 1} x', "line 1, column 10"), ('{\n "a": 1\n "b": 2}', "line 3, column 2")),
        *(('{"a": }', "line 1, column 7"), ('{"a" 1}', "line 1, column 6"), ('{"a": tru}', "line 1, column 7")),
        *(('{"a": "x}', "line 1, column 7"), ('{"a": 1', "line 1, column 8"), ("{, }", "line 1, column 2")),
        *(
            ('{"a": 1 /* open', "line 1, column 9"),
            ('{"a": "\\q"}', "line 1, column 7"),
            ('{"a": +1}', "line 1, column 7"),
        ),
        *(('{"a": 08}', "line 1, column 7"), ('{"a": 1.}', "line 1, column 7"), ('{"a": NaN}', "line 1, column 7")),
        *(('{"a": -}', "line 1, column 7"), ('{"a": "b": 1}', "line 1, column 10")),
    ],
)
def test_json_broken_is_refused_with_line_and_column(text: str, place: str) -> None:
    with pytest.raises(JsonError, match=f"^{place}: "):
        parse_json_object(text)


def test_json_too_deep_is_refused() -> None:
    with pytest.raises(JsonError, match="more than 64 levels"):
        parse_json_object('{"a": ' + "[" * 100_000)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_json_file_in_any_encoding_of_windows_is_read(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "host.json"
    path.write_text('{"ä": "ö"}', encoding=encoding)
    assert read_json_object(path).root == {"ä": "ö"}
