"""What `dev.py start` was asked for."""

from dataclasses import dataclass
from pathlib import Path

from tools.dev.lanes import Lanes
from tools.dev.sign_in import SignIn

STORAGE_PORT = 10000
"""The first of the three ports that `UseDevelopmentStorage=true` stands for."""
NEXT_ACCOUNT = 10
"""So far apart are the ports of two accounts."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Its --help says what they mean. `lanes` is None where the app is one process with one lane, `sign_in`
    where nobody is signed in."""

    host: str
    port: int
    storage_port: int
    data: Path
    functions: tuple[str, ...]
    keys: bool
    lanes: Lanes | None
    sign_in: SignIn | None

    @property
    def accounts(self) -> int:
        """How many storage accounts there are."""
        return self.lanes.accounts if self.lanes else 1

    def storage_ports(self, account: int = 1) -> tuple[int, int, int]:
        """Blob, queue, table of the account with this number. 0: any."""
        first = self.storage_port and self.storage_port + NEXT_ACCOUNT * (account - 1)
        return (first, first + 1, first + 2) if first else (0, 0, 0)
