"""The name of a file as a browser or a program sent it, made fit to be shown."""

import re

from shared.domain.text_rules import LINE, matches

MAX = 255

_RAW = re.compile(r'filename="((?:[^"\\]|\\.)*)"', re.IGNORECASE)
_PATH_STEP = re.compile(r'\\[^"\\]')


def file_name(disposition: str, parsed: str) -> str:
    """The last segment of a file's name, without what no line of text holds; 255 characters at most.

    `parsed` is the name as the header `disposition` has it by the rules. Old browsers send a whole Windows path and
    escape nothing in it: there the backslashes, which the rules take for escapes, are read as what they are.
    """
    raw = _RAW.search(disposition)
    name = raw[1] if raw and _PATH_STEP.search(raw[1]) and "filename*" not in disposition.lower() else parsed
    last = re.split(r"[/\\]", name)[-1]
    return "".join(char for char in last if matches(LINE, char)).strip()[:MAX]
