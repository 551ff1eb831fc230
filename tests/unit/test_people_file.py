"""A file of people: read as a whole or refused as a whole, each wrong line by its number."""

import pytest

from shared.domain.person import Person
from tools.people import Refused, main, read_entries

HEADER = "person,name,email,phone\n"


def test_csv_and_json_lines_say_the_same() -> None:
    csv = HEADER + 't:o,"Ann, the ""first""",ann@example.com,+4930123456\r\n\nbob,,,\n'
    lines = (
        '{"person": "t:o", "name": "Ann, the \\"first\\"", "email": "ann@example.com", "phone": "+4930123456"}\n'
        '\n{"person": "bob"}\n'
    )
    people = [entry.person for entry in read_entries("p.csv", csv)]
    assert people == [entry.person for entry in read_entries("p.jsonl", lines)]
    assert people[0].name == 'Ann, the "first"'
    assert [entry.line for entry in read_entries("p.csv", csv)] == [2, 4]


def test_columns_may_stand_in_any_order_and_be_left_out() -> None:
    (entry,) = read_entries("p.csv", "phone,person\n+4930123456,ann\n")
    assert entry.person == Person(person="ann", phone="+4930123456")


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("p.csv", "", ["there is nobody in it"]),
        ("p.csv", HEADER, ["there is nobody in it"]),
        ("p.jsonl", "\n\n", ["there is nobody in it"]),
        ("p.csv", "ann,bob\n", ["line 1: the header must be"]),
        ("p.csv", "name,email\nAnn,a@b.c\n", ["line 1: the header must be"]),
        ("p.csv", "person,person\na,b\n", ["line 1: the header must be"]),
        ("p.csv", HEADER + "ann,,,\nbob,,\n", ["line 3: 3 fields"]),
        ("p.csv", HEADER + "ann,,x,\nbob,,,1\n", ["line 2: email must be", "line 3: phone must be"]),
        ("p.csv", HEADER + '"a\nb",,,\nann,,x,\n', ["line 2: person must be", "line 4: email must be"]),
        ("p.csv", HEADER + 'ann,"x,,\n', ["line 2: no CSV"]),
        ("p.csv", HEADER + "ann,,,\nbob,,,\nann,Ann,,\n", ["line 4: person stands in line 2 too"]),
        ("p.csv", HEADER + "a/b,,,\n", ["line 2: person must be"]),
        ("p.jsonl", '{"person": "ann"}\n[1]\n{"person": 1}\n{', ["line 2: not a", "line 3: ", "line 4: not valid"]),
        ("p.jsonl", '{"person": "ann", "person": "bob"}', ["line 1: the key 'person' is given twice"]),
    ],
)  # fmt: skip
def test_file_with_a_wrong_line_is_refused_with_all_of_them(name: str, text: str, lines: list[str]) -> None:
    with pytest.raises(Refused) as refused:
        read_entries(name, text)
    told = str(refused.value).splitlines()
    assert len(told) == len(lines)
    assert all(said.startswith(line) for said, line in zip(told, lines, strict=True)), told


@pytest.mark.parametrize("words", [[], ["import"], ["import", "x.csv"], ["import", "x.csv", "--url", "localhost:7071"]])
def test_call_that_is_wrong_is_told_how_it_goes(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "usage: tools.people" in capsys.readouterr().err


def test_file_that_is_not_there_is_told_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "no-such-file.csv", "--url", "http://localhost:1"]) == 2
    assert "No such file" in capsys.readouterr().err
