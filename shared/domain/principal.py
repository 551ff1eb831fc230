"""Who makes a request, and what that lets them do.

In key mode it is a service with a key of the platform: it may do everything that the route's key lets in. With
`FIXIT_AUTH=easyauth` it is a person whom the platform signed in.
"""

import re
from dataclasses import dataclass

from msgspec.structs import replace

from shared.domain.errors import FieldError, InvalidTask, NotAllowed, UnknownTask
from shared.domain.identity import KEY_CALLER, PERSON_CALLER
from shared.domain.record import Record
from shared.domain.task import Task

OPERATOR_ROLE = "fixit.operator"
"""The app role that lets a person do and see everything."""

_PART = re.compile(r"[A-Za-z0-9-]{1,36}")


@dataclass(frozen=True, kw_only=True)
class Principal:
    """`caller` is the namespace of their idempotency keys. `person` is who they are, as a task's `owner` or `createdBy`
    says it: `tid:oid`, compared exactly; empty for a service. `name` is for people to read alone."""

    caller: str
    person: str = ""
    name: str = ""
    is_operator: bool = False

    def may_change(self, record: Record) -> bool:
        """Whether the task is theirs, or they may do with it whatever its creator may."""
        return self.is_operator or record.is_of(self.caller)

    def owns(self, record: Record) -> bool:
        """Whether the task is assigned to them."""
        return bool(self.person) and record.task.owner == self.person

    def sees(self, record: Record) -> bool:
        """Whether the task exists for them at all."""
        return self.may_change(record) or self.owns(record)

    def check_sees(self, record: Record) -> None:
        """UnknownTask if the task does not exist for them."""
        if not self.sees(record):
            raise UnknownTask

    def check_may_change(self, record: Record) -> None:
        """UnknownTask, or NotAllowed if they may see the task and no more."""
        self.check_sees(record)
        if not self.may_change(record):
            raise NotAllowed("Only who created the task may do this, or an operator.")

    def signed(self, task: Task) -> Task:
        """The task as they submit it: a person creates tasks in their own name.

        Raises:
            InvalidTask: it says that somebody else does.
        """
        if not self.person or task.created_by == self.person:
            return task
        if task.created_by:
            rule = f"must be who is signed in, {self.person}, or not be there"
            raise InvalidTask(f"createdBy {rule}.", errors=[FieldError("createdBy", rule)])
        return replace(task, created_by=self.person)


SERVICE = Principal(caller=KEY_CALLER, is_operator=True)
"""Whoever holds a key of the platform."""


def signed_in(*, tid: str, oid: str, name: str, roles: frozenset[str]) -> Principal | None:
    """A person by the ids of their tenant and of themselves; None for what cannot be such ids."""
    if not _PART.fullmatch(tid) or not _PART.fullmatch(oid):
        return None
    person = f"{tid}:{oid}"
    return Principal(caller=f"{PERSON_CALLER}{person}", person=person, name=name, is_operator=OPERATOR_ROLE in roles)
