"""The app as its triggers know it: each use case, bound to the real storage and the real settings.

What a submit and a delivery do not need is imported where it is used: a cold start is mostly imports.
"""

import os
from datetime import UTC, datetime
from functools import cached_property

from shared import log
from shared.composition.delivering import Delivering
from shared.composition.operating import Operating
from shared.composition.submitting import Submitting
from shared.domain.access import Guard, parse_guard
from shared.domain.errors import SettingsError, told


class App(Submitting, Delivering, Operating):
    """Making one opens nothing; wrong settings are told at the first use."""

    def __init__(self) -> None:
        super().__init__(os.environ, clock=lambda: _now())  # looked up at each call: a test sets the clock

    @cached_property
    def access(self) -> Guard:
        """How the routes are guarded; SettingsError for settings of it that are wrong or not safe. Opens nothing."""
        return parse_guard(self._environment)

    def may_start(self) -> bool:
        """Whether the settings that decide what is registered can be used; a log line says what is wrong with them."""
        try:
            return bool(self.lanes and self.access)
        except SettingsError as error:
            log.error("the app does not start, and has no function", because=told(error))
            return False


def _now() -> datetime:
    return datetime.now(UTC)
