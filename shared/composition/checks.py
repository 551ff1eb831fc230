"""What a task is held against beyond its own fields: where it may be answered, and who may have it."""

from shared.composition.stores import Stores
from shared.domain.task import Task, check_reply_to


class Checks(Stores):
    def _check_targets(self, task: Task) -> None:
        """InvalidTask for a task that may not be answered where it asks."""
        check_reply_to(task, self.settings.may_reply_to)
        if task.callback_url:
            from shared.domain.callback_rule import check_callback  # few ask for callbacks

            check_callback(task, self.settings.callbacks_allowed)

    async def _check_owner(self, owner: str) -> None:
        """UnknownOwner for one to whom no task can be assigned; the directory is asked only where it has to be."""
        if owner and self.settings.needs_directory:
            await self.people.check_owner(owner)
