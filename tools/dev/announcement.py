"""What `dev.py start` says once everything is there: how to try it."""

import sys
from collections.abc import Callable

from tools.dev.sign_in import PAGE, SignIn


class Announcement:
    """Says once how to try it, and afterwards only that it is there again. `sign_in` is who then sees the pages."""

    def __init__(self, say: Callable[[str], None], sign_in: SignIn | None = None) -> None:
        self._say = say
        self._sign_in = sign_in
        self._said = False

    def __call__(self, port: int) -> None:
        if self._said:
            self._say(f"dev.py: Ready again at http://localhost:{port}")
            return
        self._said = True
        for line in ("", "Ready; Ctrl-C stops everything. Try it:", "", *try_it(port), ""):
            self._say(line)
        if self._sign_in:
            self._say(f"Pages, signed in as {self._sign_in.name}: http://localhost:{port}{PAGE}")
            self._say("")


def try_it(port: int) -> list[str]:
    """A command that submits a task, for the shell of this system."""
    quote, inner = ('"', r"\"") if sys.platform == "win32" else ("'", '"')
    body = '{"title": "The lamp in room 4 is broken"}'.replace('"', inner)
    return [
        f'  curl -i http://localhost:{port}/api/fixits -H "Content-Type: application/json" \\',
        f"    -d {quote}{body}{quote}",
    ]
