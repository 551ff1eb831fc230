"""`--lanes AxQ`: A accounts with Q queues each, every queue a lane. Names as the app has them."""

from dataclasses import dataclass

CONNECTION = "FixItStorage"
QUEUE = "fixits"


@dataclass(frozen=True)
class Lane:
    """A queue of an account; both are counted from 1."""

    account: int
    number: int

    @property
    def connection(self) -> str:
        """The name of the setting that leads to its account."""
        return CONNECTION if self.account == 1 else f"{CONNECTION}{self.account}"

    @property
    def queue(self) -> str:
        return QUEUE if self.number == 1 else f"{QUEUE}-{self.number}"

    @property
    def name(self) -> str:
        """As it is written in FIXIT_LANES."""
        return f"{self.connection}/{self.queue}"

    @property
    def short_name(self) -> str:
        return f"{self.account}/{self.queue}"

    @property
    def functions(self) -> tuple[str, str]:
        """Those that its queue and its poison queue trigger."""
        first = "record" if self == Lane(1, 1) else f"record_{self.connection}_{self.queue}"
        return first, f"{first}_poison"


@dataclass(frozen=True)
class Lanes:
    """All lanes, account by account."""

    accounts: int
    queues: int

    @property
    def each(self) -> tuple[Lane, ...]:
        numbers = range(1, self.queues + 1)
        return tuple(Lane(account, number) for account in range(1, self.accounts + 1) for number in numbers)

    @property
    def connections(self) -> tuple[str, ...]:
        return tuple(Lane(account, 1).connection for account in range(1, self.accounts + 1))

    @property
    def settings(self) -> dict[str, str]:
        """What tells the app of them."""
        return {"FIXIT_LANES": ",".join(lane.name for lane in self.each)}

    @property
    def intake_settings(self) -> dict[str, str]:
        """What keeps a host from listening to any of them."""
        return {f"AzureWebJobs.{function}.Disabled": "true" for lane in self.each for function in lane.functions}
