"""Storage accounts and the hosts that run the app on them, as one thing that starts and stops."""

import threading
from collections.abc import Callable, Mapping, Sequence

from tools.dev.host import Host
from tools.dev.kept import Kept, Service


class Setup:
    """Each runs until `stop`, and is started again where it ends by itself; they are named in what is said of them.

    `connect` is called once the accounts run: it tells the hosts where. An account that ends comes back after
    `away_seconds`, longer if it keeps ending.
    """

    def __init__(
        self,
        accounts: Mapping[str, Service],
        hosts: Mapping[str, Host],
        *,
        connect: Callable[[], None],
        say: Callable[[str], None],
        away_seconds: float = 1,
    ) -> None:
        longest = max(30, away_seconds)
        self._connect = connect
        self._all_hosts = tuple(hosts.values())
        self._accounts = [
            Kept(name, account, say=say, first=away_seconds, longest=longest) for name, account in accounts.items()
        ]
        self._hosts = [Kept(name, host, say=say) for name, host in hosts.items()]

    def start(self, stop: threading.Event) -> None:
        """All of them run, or as many as had been started when `stop` was set.

        Raises:
            Problem: one cannot start; `stop` ends the others.
        """
        _start(self._accounts, stop)
        self._connect()
        _start(self._hosts, stop)

    def kill(self) -> None:
        """The hosts end at once. Fit for signal handlers."""
        for host in self._all_hosts:
            host.kill()

    def stop(self) -> None:
        """Nothing of it runs. Hosts end side by side, since each may wait for what it runs; then the accounts."""
        _stop(self._hosts)
        _stop(self._accounts)


def _start(kept: Sequence[Kept], stop: threading.Event) -> None:
    for one in kept:
        if not stop.is_set():
            one.start()


def _stop(kept: Sequence[Kept]) -> None:
    threads = [threading.Thread(target=one.stop) for one in kept]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
