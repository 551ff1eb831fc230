"""How long somebody who waits for storage has to."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from shared.domain.errors import DependencyDown

TABLE, STORAGE = "the table", "storage"


def late(what: str) -> DependencyDown:
    """The error of what did not answer in time."""
    return DependencyDown(f"{what} did not answer in time")


@asynccontextmanager
async def answers_within(seconds: float, what: str = TABLE) -> AsyncIterator[None]:
    """Inside, DependencyDown is raised after so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise late(what) from error
