"""Reading what is asked about many tasks at once."""

from dataclasses import dataclass
from typing import Any, get_args

import azure.functions as func

from shared.domain.record import State
from shared.domain.task_filter import TaskFilter
from shared.web.parameters import Parameters

_PERSON_MAX = 80


@dataclass(frozen=True, kw_only=True)
class TaskLook:
    """What is to be shown."""

    wanted: TaskFilter
    limit: int
    cursor: str


def read_look(request: func.HttpRequest) -> TaskLook:
    """The query of a list; InvalidRequest names all that is wrong."""
    given = Parameters.of_query(request.params)
    states: tuple[Any, ...] = get_args(State)
    look = TaskLook(
        wanted=TaskFilter(
            owner=given.line("owner", most=_PERSON_MAX),
            created_by=given.line("createdBy", most=_PERSON_MAX),
            state=given.choice("state", states, "") or None,
        ),
        limit=given.whole("limit", low=1, high=100, default=50),
        cursor=given.line("cursor", most=2_000),
    )
    given.check()
    return look
