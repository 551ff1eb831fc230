"""The directory, filled from a file.

    python3 -m tools.people import FILE --url URL [--json]

FILE holds CSV with the header `person,name,email,phone`, or JSON lines with these fields (its name then ends in .jsonl
or .json). All of it is checked before anything is sent; then each person is put, which may be repeated at will. The
master key is read from FIXIT_ADMIN_KEY; where people sign in, an operator's token from FIXIT_TOKEN. Neither is sent in
clear, over http to another machine. The first 401 or 403 ends it, and so do three people in a row without an answer.

Exit status: 0 when all are in the directory, 1 when some are not, 2 when nothing was sent.
"""

import argparse
import csv
import http.client
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from shared.domain.errors import InvalidPerson
from shared.domain.person import FIELDS, Person, parse_person
from shared.domain.strict_json import parse_json

KEY_SETTING, TOKEN_SETTING = "FIXIT_ADMIN_KEY", "FIXIT_TOKEN"
LOCAL = ("localhost", "127.0.0.1", "::1")
SILENT_MAX = 3
"""After so many people in a row without an answer nobody else is tried."""

WIDTH = 100
_TIMEOUT_SECONDS = 30


class Refused(Exception):
    """Nothing was sent; each line of the text says why."""


@dataclass(frozen=True)
class Entry:
    """Somebody to put, and the line that says so."""

    line: int
    person: Person


@dataclass(frozen=True)
class Failed:
    """Somebody who could not be put, and why."""

    line: int
    person: str
    reason: str


def read_entries(name: str, text: str) -> list[Entry]:
    """The people of a file; Refused, with every line that is wrong, if one is."""
    wrong, entries, lines = [], [], dict[str, int]()
    rows = _json_lines(text) if name.endswith((".json", ".jsonl")) else _csv_rows(text)
    for line, fields in rows:
        try:
            entry = Entry(line, parse_person(_object(fields)))
        except (InvalidPerson, ValueError) as error:
            wrong.append(f"line {line}: {error}")
            continue
        first = lines.setdefault(entry.person.person, line)
        if first != line:
            wrong.append(f"line {line}: person stands in line {first} too")
        entries.append(entry)
    if not entries and not wrong:
        wrong.append("there is nobody in it")
    if wrong:
        raise Refused("\n".join(wrong))
    return entries


def _json_lines(text: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, parse_json(line)
            except ValueError as error:
                yield number, error


def _csv_rows(text: str) -> Iterator[tuple[int, Any]]:
    """Each row by the line in which it begins."""
    rows = csv.reader(io.StringIO(text), strict=True)
    header, begins = None, 1
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield begins, ValueError(f"no CSV: {error}")
            return
        if row is None:
            return
        line, begins = begins, rows.line_num + 1
        if header is None:
            header = [name.strip() for name in row]
            if "person" not in header or len(set(header)) < len(header) or not {*header} <= {*FIELDS}:
                yield line, ValueError(f"the header must be of {', '.join(FIELDS)}, each once, person among them")
                return
        elif row:
            is_whole = len(row) == len(header)
            yield line, dict(zip(header, row, strict=True)) if is_whole else ValueError(f"{len(row)} fields")


def _object(fields: Any) -> dict[str, Any]:
    if isinstance(fields, Exception):
        raise ValueError(f"{fields}")
    if not isinstance(fields, dict):
        raise ValueError("not a JSON object")
    return fields


def read_credentials(url: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The headers that let one in; Refused where they would be sent in clear, or are none."""
    kinds = (("x-functions-key", KEY_SETTING, ""), ("Authorization", TOKEN_SETTING, "Bearer "))
    given = {name: (header, before, environment.get(name, "").strip()) for header, name, before in kinds}
    headers = {header: before + secret for header, before, secret in given.values() if secret}
    wrong = [name for name, (*_, secret) in given.items() if not (secret.isascii() and secret.isprintable())]
    if wrong:
        raise Refused(f"{' and '.join(wrong)} cannot stand in a header")
    parts = urlsplit(url)
    if headers and parts.scheme == "http" and parts.hostname not in LOCAL:
        raise Refused(f"{' or '.join(given)} would be sent in clear: use https")
    return headers


def put(url: str, credentials: Mapping[str, str], person: Person) -> tuple[int, str]:
    """Put one person; the status, 0 without an answer, and why that could not be done, or nothing."""
    parts = urlsplit(url)
    opened = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = opened(parts.netloc, timeout=_TIMEOUT_SECONDS)
    path = f"{parts.path.rstrip('/')}/api/people/{quote(person.person, safe='')}"
    body = json.dumps({name: getattr(person, name) for name in FIELDS}).encode()
    headers = {"Content-Type": "application/json", **credentials}
    try:
        connection.request("PUT", path, body, headers)
        answer = connection.getresponse()
        told = answer.read()
    except (OSError, http.client.HTTPException) as error:
        return 0, f"{type(error).__name__}: {error}"
    finally:
        connection.close()
    return answer.status, "" if answer.status == 200 else _reason(answer.status, told)


def _reason(status: int, told: bytes) -> str:
    try:
        problem = json.loads(told)
        return f"{status} {problem['code']}: {problem['detail']}"
    except (ValueError, KeyError, TypeError):
        names = f"{KEY_SETTING} (with sign-in {TOKEN_SETTING})"
        return f"{status}: {names} is missing or wrong" if status == 401 else f"{status}"


def import_people(entries: Sequence[Entry], url: str, credentials: Mapping[str, str]) -> tuple[list[Failed], int]:
    """Put everybody, one after the other, telling on standard error how far it is, unless what is wrong is wrong for
    all; who could not be put, and how many were not tried."""
    failed, silent = [], 0
    for number, entry in enumerate(entries, 1):
        status, reason = put(url, credentials, entry.person)
        if reason:
            failed.append(Failed(entry.line, entry.person.person, reason))
        silent = 0 if status else silent + 1
        is_over = status in (401, 403) or silent == SILENT_MAX or number == len(entries)
        if is_over or number % 25 == 0:
            _tell(f"{number} of {len(entries)} tried, {len(failed)} failed")
        if is_over:
            return failed, len(entries) - number
    return failed, 0


def main(words: Sequence[str]) -> int:
    """The exit status of a call with these words."""
    arguments = _arguments(words)
    try:
        credentials = read_credentials(arguments.url, os.environ)
        entries = read_entries(arguments.file, _text_of(arguments.file))
    except Refused as error:
        _tell(f"{arguments.file} is not taken, and nothing was sent:")
        for line in f"{error}".splitlines():
            _tell(f"  {line}")
        return 2
    failed, unsent = import_people(entries, arguments.url, credentials)
    counts = {"put": len(entries) - len(failed) - unsent, "failed": len(failed), "notSent": unsent}
    if arguments.json:
        whose = [{"line": each.line, "person": each.person, "reason": each.reason} for each in failed]
        print(json.dumps({**counts, "failures": whose}, ensure_ascii=False))
    else:
        for each in failed:
            _say(f"line {each.line}, {each.person}: {each.reason}")
        _say(f"{counts['put']} put, {counts['failed']} failed, {unsent} not sent")
    return 1 if failed else 0


def _text_of(name: str) -> str:
    try:
        return Path(name).read_text("utf-8-sig")
    except OSError as error:
        raise Refused(error.strerror or type(error).__name__) from None
    except UnicodeDecodeError as error:
        raise Refused(f"it is not UTF-8 at byte {error.start}") from None


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools.people", description="The directory, filled from a file.")
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("import", help="put everybody in a file")
    verb.add_argument("file", help="CSV with the header person,name,email,phone, or JSON lines (.jsonl)")
    verb.add_argument("--url", required=True, type=_url, help="where the app is, like http://localhost:7071")
    verb.add_argument("--json", action="store_true", help="tell the outcome as one JSON object")
    return parser.parse_args(words)


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise argparse.ArgumentTypeError("must begin with http:// or https://")
    return text


def _tell(line: str) -> None:
    print(_fitted(line), file=sys.stderr, flush=True)


def _say(line: str) -> None:
    print(_fitted(line))


def _fitted(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
