"""What `dev.py start` says once everything is there: how to try it."""

import sys
from collections.abc import Callable


class Announcement:
    """Says once how to try it, and afterwards only that it is there again."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said = False

    def __call__(self, port: int) -> None:
        if self._said:
            self._say(f"dev.py: Ready again at http://localhost:{port}")
            return
        self._said = True
        for line in ("", "Ready; Ctrl-C stops everything. Try it:", "", *try_it(port), ""):
            self._say(line)


def try_it(port: int) -> list[str]:
    """A command that submits a task, for the shell of this system."""
    quote, inner = ('"', r"\"") if sys.platform == "win32" else ("'", '"')
    body = '{"title": "The lamp in room 4 is broken"}'.replace('"', inner)
    return [
        f'  curl -i http://localhost:{port}/api/fixits -H "Content-Type: application/json" \\',
        f"    -d {quote}{body}{quote}",
    ]
