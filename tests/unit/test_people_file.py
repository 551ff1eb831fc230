"""A file of people: read as a whole or refused as a whole, each wrong line by its number."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest

from shared.domain.person import Person
from tools.people import Refused, main, read_credentials, read_entries

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


SECRETS = {"FIXIT_ADMIN_KEY": " secret-key\n", "FIXIT_TOKEN": "secret.token"}


@pytest.mark.parametrize(
    "url",
    ["https://fixit.example", "http://localhost:7071", "http://127.0.0.1:1", "http://[::1]:7071", "http://LOCALHOST"],
)
def test_key_and_token_are_sent_where_nobody_can_read_them_on_the_way(url: str) -> None:
    assert read_credentials(url, SECRETS) == {"x-functions-key": "secret-key", "Authorization": "Bearer secret.token"}
    assert read_credentials(url, {}) == {}


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("url", ["http://fixit.example", "http://127.0.0.1.example", "http://localhost@fixit.example"])
def test_neither_is_sent_in_clear_to_another_machine(
    url: str, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, SECRETS[name])
    assert main(["import", "p.csv", "--url", url]) == 2
    told = capsys.readouterr()
    assert "in clear: use https" in told.err and "secret" not in told.err + told.out
    assert read_credentials(url, {}) == {}


@pytest.mark.parametrize("said", ["a\nb", "ö", "a\x00"])
def test_key_that_no_header_can_hold_is_not_shown(said: str) -> None:
    with pytest.raises(Refused, match="FIXIT_TOKEN cannot") as refused:
        read_credentials("https://fixit.example", {"FIXIT_TOKEN": said})
    assert said not in str(refused.value)


class App(BaseHTTPRequestHandler):
    """An app that answers with what it is told to, one after the other, 0 being silence."""

    statuses: ClassVar[list[int]] = []
    said: ClassVar[list[str | None]] = []

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        App.said.append(self.headers["Authorization"])
        if status := App.statuses.pop(0):
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def app_url() -> Iterator[str]:
    App.said.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), App) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("statuses", "counts"),
    [
        ([401], "0 put, 1 failed, 4 not sent"),
        ([200, 403], "1 put, 1 failed, 3 not sent"),
        ([0, 0, 0], "0 put, 3 failed, 2 not sent"),
        ([0, 0, 200, 0, 0], "1 put, 4 failed, 0 not sent"),
        ([500, 404, 503, 200, 503], "1 put, 4 failed, 0 not sent"),
        ([200, 200, 200, 200, 403], "4 put, 1 failed, 0 not sent"),
    ],
)
def test_what_is_wrong_for_all_is_not_tried_with_all(
    statuses: list[int],
    counts: str,
    app_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("FIXIT_TOKEN", "t.o.k")
    file = tmp_path / "people.csv"
    file.write_text("person\na\nb\nc\nd\ne\n", encoding="utf-8")
    App.statuses[:] = statuses
    assert main(["import", str(file), "--url", app_url]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == counts
    assert App.statuses == [] and App.said == ["Bearer t.o.k"] * len(statuses)
