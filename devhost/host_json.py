"""host.json, with the environment's overrides laid over it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from devhost.configuration import Configuration
from devhost.queue_options import QueueOptions


@dataclass(frozen=True, kw_only=True)
class HttpOptions:
    """`extensions.http`; a limit of -1 means none."""

    route_prefix: str = "api"
    max_outstanding_requests: int = -1
    max_concurrent_requests: int = -1
    custom_headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SingletonOptions:
    """`singleton`: the leases behind timers."""

    lock_period: timedelta = timedelta(seconds=15)
    listener_lock_period: timedelta = timedelta(seconds=60)
    listener_lock_recovery_polling_interval: timedelta = timedelta(seconds=60)
    lock_acquisition_polling_interval: timedelta = timedelta(seconds=5)


@dataclass(frozen=True, kw_only=True)
class HostOptions:
    """What host.json and its overrides come to.

    `functions` is the list of names to load, None for all. `function_timeout` None means no limit. Without an
    `extension_bundle` the host has no queue trigger. `notices` are lines to print: keys that mean nothing where they stand.
    """

    functions: tuple[str, ...] | None
    function_timeout: timedelta | None
    queues: QueueOptions
    http: HttpOptions
    singleton: SingletonOptions
    extension_bundle: str | None
    notices: tuple[str, ...] = ()


def load_host_options(
    folder: Path, configuration: Configuration, *, development: bool, cpu_count: int
) -> HostOptions:
    """The options of the app in this folder.

    Raises:
        HostConfigError: names the file (or the environment variable), the key, the value and the limit.
    """
    raise NotImplementedError
