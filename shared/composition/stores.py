"""The settings and the stores, opened on first use and kept for the life of the process."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from shared import log
from shared.domain.names import CONNECTION
from shared.services.backlog import Backlog
from shared.services.lanes import Lanes
from shared.services.replay import Replays
from shared.services.watch import Watch
from shared.settings import Settings
from shared.storage.account import Account
from shared.storage.letters import LetterStore
from shared.storage.pointers import Pointers
from shared.storage.queues import Queues
from shared.storage.tasks import TaskStore

if TYPE_CHECKING:
    from shared.services.people import People
    from shared.storage.notices import NoticeStore
    from shared.storage.photo_links import PhotoLinks
    from shared.storage.photos import PhotoStore


class Stores:
    """Making one opens nothing; wrong settings are told at the first use. `clock` gives the time, with its zone."""

    def __init__(self, environment: Mapping[str, str], *, clock: Callable[[], datetime]) -> None:
        self._environment = environment
        self._now = clock

    @cached_property
    def settings(self) -> Settings:
        settings = Settings.from_environment(self._environment)
        for complaint in settings.errors:
            log.error("a setting is missing or wrong", complaint=complaint)
        return settings

    @cached_property
    def _accounts(self) -> dict[str, Account]:
        return {}

    def _account(self, connection: str) -> Account:
        """The one of a connection name, for a lane that is listed or was; SettingsError where it is not set."""
        if connection not in self._accounts:
            connections = self.settings.account(connection)
            proxy = self.settings.use_environment_proxy
            self._accounts[connection] = Account(connections, environment_proxy=proxy)
        return self._accounts[connection]

    @cached_property
    def _queues(self) -> Queues:
        return Queues(self._account)

    @cached_property
    def _lanes(self) -> Lanes:
        return Lanes(self.settings.lanes, queues=self._queues, pause_seconds=self.settings.lane_pause_seconds)

    @cached_property
    def backlog(self) -> Backlog:
        """How soon it is worth asking about a task again."""
        return Backlog(self.settings.lanes, queues=self._queues)

    @cached_property
    def _tasks(self) -> TaskStore:
        return TaskStore(self._account(CONNECTION))

    @cached_property
    def _replays(self) -> Replays:
        settings = self.settings
        return Replays(self._tasks, read_seconds=settings.key_read_seconds, pause_seconds=settings.lane_pause_seconds)

    @cached_property
    def _watch(self) -> Watch:
        return Watch(self._tasks, read_seconds=self.settings.read_seconds)

    @cached_property
    def _pointers(self) -> Pointers:
        return Pointers(self._account(CONNECTION))

    @cached_property
    def _letters(self) -> LetterStore:
        return LetterStore(self._account(CONNECTION))

    @cached_property
    def _photos(self) -> "PhotoStore":
        from shared.storage.photos import PhotoStore

        return PhotoStore(self._account(CONNECTION))

    @cached_property
    def photo_links(self) -> "PhotoLinks":
        """Links to photos, for minutes. They need no setting but the account's."""
        from shared.storage.photo_links import PhotoLinks

        settings = self.settings
        return PhotoLinks(
            self._account(CONNECTION),
            public_url=settings.public_blob_url,
            upload_time=timedelta(minutes=settings.upload_minutes),
            read_time=timedelta(minutes=settings.link_minutes),
        )

    @cached_property
    def _notices(self) -> "NoticeStore":
        from shared.storage.notices import NoticeStore

        return NoticeStore(self._account(CONNECTION))

    @cached_property
    def people(self) -> "People":
        """The directory. It needs no setting but the account's."""
        from shared.services.people import People
        from shared.storage.people import PeopleStore

        return People(store=PeopleStore(self._account(CONNECTION)), seconds=self.settings.read_seconds)
