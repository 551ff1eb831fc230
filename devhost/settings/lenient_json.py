"""JSON as the host reads it: comments, single quotes, bare names, trailing commas pass; of equal keys the last counts.

Source: Newtonsoft.Json's JsonTextReader, which host and Core Tools read their files with.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

DEEPEST = 64

_TOKEN = re.compile(
    r"""(?P<gap>\s+|//[^\r\n]*|/\*.*?\*/)"""
    r"""|(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
    r"""|(?P<mark>[{}\[\]:,])"""
    r"""|(?P<word>[\w$.+-]+)""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "\\": "\\", "/": "/", '"': '"', "'": "'"}
_WORDS = {"true": True, "false": False, "null": None}


class JsonError(ValueError):
    """The text is not JSON; the message says where (line and column, from 1) and what is wrong."""


@dataclass(frozen=True, kw_only=True)
class Document:
    """What a JSON object holds. `repeated` names the keys that stand twice in one object, ignoring case."""

    root: dict[str, Any]
    repeated: tuple[str, ...]


def read_json_object(path: Path) -> Document:
    """The JSON object in this file, UTF-8 or with a byte order mark.

    Raises:
        JsonError: it is not a JSON object.
        OSError: the file cannot be read.
    """
    content = path.read_bytes()
    is_utf16 = content[:2] in {b"\xff\xfe", b"\xfe\xff"}
    return parse_json_object(content.decode("utf-16" if is_utf16 else "utf-8-sig", errors="replace"))


def parse_json_object(text: str) -> Document:
    """The JSON object that the text is.

    Raises:
        JsonError: it is not one.
    """
    reader = _Reader(text)
    if reader.text != "{":
        reader.fail("a JSON object was expected")
    root = reader.value(())
    if reader.kind != "end":
        reader.fail("there is more after the end of the object")
    assert isinstance(root, dict)
    return Document(root=root, repeated=tuple(reader.repeated))


class _Reader:
    """Stands on one token: its `kind` and `text`."""

    def __init__(self, source: str) -> None:
        self.repeated: list[str] = []
        self._source = source
        self._end = 0
        self._next()

    def value(self, path: tuple[str, ...]) -> Any:
        """The value that starts here; afterwards the reader stands behind it."""
        if len(path) > DEEPEST:
            self.fail(f"more than {DEEPEST} levels")
        kind, text = self.kind, self.text
        if text == "{":
            return self._object(path)
        if text == "[":
            return self._array(path)
        if kind not in {"string", "word"}:
            self.fail("a value was expected")
        result = self._string() if kind == "string" else self._word()
        self._next()
        return result

    def fail(self, problem: str) -> NoReturn:
        """Say what is wrong here."""
        before = self._source[: self._start]
        line, column = before.count("\n") + 1, self._start - (before.rfind("\n") + 1) + 1
        raise JsonError(f"line {line}, column {column}: {problem}")

    def _object(self, path: tuple[str, ...]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        self._next()
        while self.text != "}":
            if self.kind not in {"string", "word"}:
                self.fail("a name in quotes was expected")
            name = self._string() if self.kind == "string" else self.text
            self._next()
            if self.text != ":":
                self.fail(f"':' was expected after '{name}'")
            if any(other.lower() == name.lower() for other in result):
                self.repeated.append(".".join((*path, name)))
            self._next()
            result.pop(name, None)
            result[name] = self.value((*path, name))
            self._separator("}")
        self._next()
        return result

    def _array(self, path: tuple[str, ...]) -> list[Any]:
        result: list[Any] = []
        self._next()
        while self.text != "]":
            result.append(self.value((*path, str(len(result)))))
            self._separator("]")
        self._next()
        return result

    def _separator(self, end: str) -> None:
        if self.text == ",":
            self._next()
        elif self.text != end:
            self.fail(f"',' or '{end}' was expected")

    def _string(self) -> str:
        units = _ESCAPE.sub(self._unescape, self.text[1:-1])
        return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _unescape(self, escape: re.Match[str]) -> str:
        if escape[1]:
            return chr(int(escape[1], 16))
        if escape[2] not in _ESCAPED:
            self.fail(f"'{escape[0]}' is no escape sequence")
        return _ESCAPED[escape[2]]

    def _word(self) -> bool | int | float | None:
        word = self.text
        if word in _WORDS:
            return _WORDS[word]
        try:
            return _number(word)
        except ValueError:
            self.fail(f"'{word}' is no value; a text needs quotes")

    def _next(self) -> None:
        while True:
            self._start = self._end
            match = _TOKEN.match(self._source, self._start)
            if match is None:
                break
            self._end, self.kind, self.text = match.end(), str(match.lastgroup), match[0]
            if self.kind != "gap":
                return
        self.kind, self.text = "end", ""
        if self._start < len(self._source):
            self.fail(f"{self._source[self._start]!r} has no place here")


def _number(word: str) -> int | float:
    if word[:2] in {"0x", "0X"}:
        return int(word, 16)
    if word.isdecimal() and word.startswith("0"):
        return int(word, 8)  # as of old
    if not word[-1].isdecimal() or not word.lstrip("-")[0].isdecimal():
        raise ValueError(word)  # NaN, Infinity, "+1": no number of JSON, though Python would read it
    return int(word) if word.lstrip("-").isdecimal() else float(word)
