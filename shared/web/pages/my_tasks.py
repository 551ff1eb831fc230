"""The list of a person's tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args
from urllib.parse import urlencode

import azure.functions as func

from shared.domain.principal import Principal
from shared.domain.record import Record, State
from shared.domain.task_filter import TaskFilter
from shared.web.pages.page import page
from shared.web.parameters import Parameters
from shared.web.routes import MY_TASKS, page_path, task_page_path

LIMIT = 25
"""Tasks on one page."""

_List = Literal["mine", "assigned", "all"]
_NAMES: dict[_List, str] = {"mine": "Created by me", "assigned": "Assigned to me", "all": "Everybody's"}


@dataclass(frozen=True, kw_only=True)
class Look:
    """Which list, which of its tasks, and where in it."""

    list: _List
    state: State | None
    cursor: str

    def of(self, who: Principal) -> TaskFilter:
        """The tasks that it is about, for this person."""
        return TaskFilter(
            created_by=who.person if self.list == "mine" else "",
            owner=who.person if self.list == "assigned" else "",
            state=self.state,
        )


def lists_of(who: Principal) -> tuple[_List, ...]:
    """The lists that a person has."""
    return ("mine", "assigned", "all") if who.is_operator else ("mine", "assigned")


def read_look(request: func.HttpRequest, who: Principal) -> Look:
    """The query of the page; InvalidRequest names all that is wrong."""
    given = Parameters(request.params)
    states: tuple[Any, ...] = get_args(State)
    look = Look(
        list=given.choice("list", lists_of(who), "mine"),
        state=given.choice("state", states, "") or None,
        cursor=given.line("cursor", most=2_000),
    )
    given.check()
    return look


def my_tasks(who: Principal, look: Look, found: Sequence[Record], cursor: str | None) -> func.HttpResponse:
    """200: one page of the list, the newest first."""
    return page(
        "my_tasks.html",
        who=who,
        here="my_tasks",
        look=look,
        tabs=[(name, _NAMES[name], _address(name, look.state)) for name in lists_of(who)],
        state_names=get_args(State),
        tasks=[(record, task_page_path(record.id)) for record in found],
        older=_address(look.list, look.state, cursor) if cursor else "",
        newest=_address(look.list, look.state) if look.cursor else "",
    )


def _address(name: _List, state: State | None, cursor: str = "") -> str:
    query = {"list": name, "state": state or "", "cursor": cursor}
    return f"{page_path(MY_TASKS)}?{urlencode({name: value for name, value in query.items() if value})}"
