"""What submitters and operators have done once more: failed tasks, and callbacks."""

from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from shared.composition.channels import Channels
from shared.domain.errors import NoCallback
from shared.domain.names import CONNECTION

if TYPE_CHECKING:
    from shared.services.reopen import Reopening
    from shared.services.resend import Resending


class Again(Channels):
    @cached_property
    def _reopening(self) -> "Reopening":
        from shared.services.reopen import Reopening

        return Reopening(
            tasks=self._tasks,
            letters=self._letters,
            pointers=self._pointers,
            lanes=self._lanes,
            queues=self._queues,
            hand_on=self._hand_on,
            keep_letters=timedelta(days=self.settings.keep_letters_days),
            put_seconds=self.settings.submit_seconds,
        )

    @property
    def _resending(self) -> "Resending":
        from shared.services.resend import Resending
        from shared.storage.task_lists import TaskLists

        self.settings.check()
        if "callback" not in self._channels:
            raise NoCallback("Callbacks are off in this app: its setting FIXIT_CALLBACK_KEYS is not set.")
        return Resending(
            notices=self._notices,
            queues=self._queues,
            lists=TaskLists(self._account(CONNECTION)),
            tasks=self._tasks,
            keys=self.settings.receipt_keys,
        )
