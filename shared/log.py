"""Log lines: what happened, then what it is about as one JSON object. Never a body, never a secret.

Whatever is logged inside `about` carries its fields: each line about a message names the message.
"""

import json
import logging
import traceback
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


def exception(what: str, error: BaseException, **fields: object) -> None:
    """Somebody has to look; where the error came from follows, without its text.

    The text of an error may quote anything: a body, a value, an address.
    """
    _say(logging.ERROR, what, fields, _where(error))


def _say(level: int, what: str, fields: Mapping[str, object], more: str = "") -> None:
    said = {**_about.get(), **fields}
    line = f"{what} {json.dumps(said, ensure_ascii=False, default=str)}" if said else what
    _log.log(level, "%s%s", line, more)


def _where(error: BaseException | None) -> str:
    """The frames and the class of an error, and of those that led to it."""
    told = ""
    while error:
        told += f"\n{''.join(traceback.format_tb(error.__traceback__))}{type(error).__name__}"
        error = error.__cause__ or error.__context__
    return told
