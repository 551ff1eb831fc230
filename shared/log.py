"""Log lines: what happened, then what it is about as one JSON object. Never a body, never a secret.

Whatever is logged inside `about` carries its fields: each line about a message names the message.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

_log = logging.getLogger("fixit")
_about: ContextVar[Mapping[str, object]] = ContextVar("about", default=MappingProxyType({}))


@contextmanager
def about(**fields: object) -> Iterator[None]:
    """Inside, every line carries these fields too."""
    token = _about.set({**_about.get(), **fields})
    try:
        yield
    finally:
        _about.reset(token)


def info(what: str, **fields: object) -> None:
    """Something went as it should."""
    _say(logging.INFO, what, fields)


def warning(what: str, **fields: object) -> None:
    """Something did not, and is dealt with."""
    _say(logging.WARNING, what, fields)


def error(what: str, **fields: object) -> None:
    """Somebody has to look."""
    _say(logging.ERROR, what, fields)


def exception(what: str, **fields: object) -> None:
    """Somebody has to look, and the traceback of the exception that is being handled follows."""
    _say(logging.ERROR, what, fields, trace=True)


def _say(level: int, what: str, fields: Mapping[str, object], *, trace: bool = False) -> None:
    said = {**_about.get(), **fields}
    line = f"{what} {json.dumps(said, ensure_ascii=False, default=str)}" if said else what
    _log.log(level, "%s", line, exc_info=trace)
