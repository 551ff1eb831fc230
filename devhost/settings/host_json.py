"""host.json, with the environment's overrides laid over it.

Source: HOST, HostJsonFileConfigurationSource.cs and ScriptJobHostOptionsSetup.cs; SDK, SingletonOptions.cs;
EXT, HttpOptions.cs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from devhost.dotnet.timespan import parse_timespan
from devhost.settings.binder import bind_boolean, bind_integer
from devhost.settings.configuration import Configuration
from devhost.settings.extension_bundle import read_extension_bundle
from devhost.settings.host_json_file import read_host_json
from devhost.settings.host_json_places import misplaced
from devhost.settings.host_settings import HostSettings
from devhost.settings.queue_options import DURATION, QueueOptions, read_queue_options

UNLIMITED = -1
NO_TIMEOUT = timedelta(days=-1)  # what "-1" says
SHORTEST_TIMEOUT = timedelta(seconds=1)
DEFAULT_TIMEOUT = timedelta(minutes=30)
DEFAULT_TIMEOUT_ON_CONSUMPTION = timedelta(minutes=5)
LONGEST_TIMEOUT_ON_CONSUMPTION = timedelta(minutes=10)
SHORTEST_LEASE = timedelta(seconds=15)  # what blob storage allows
LONGEST_LEASE = timedelta(seconds=60)


@dataclass(frozen=True, kw_only=True)
class HttpOptions:
    """`extensions.http`; a limit of -1 means none, `custom_headers` go with every answer that lacks them."""

    route_prefix: str = "api"
    max_outstanding_requests: int = UNLIMITED
    max_concurrent_requests: int = UNLIMITED
    custom_headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SingletonOptions:
    """`singleton`, as far as timers need it: how long their lease is, and how often a host without it asks again."""

    listener_lock_period: timedelta = LONGEST_LEASE
    listener_lock_recovery_polling_interval: timedelta = timedelta(minutes=1)


@dataclass(frozen=True, kw_only=True)
class HostOptions:
    """What host.json and its overrides come to.

    `functions` names those to load, ignoring case; None means all. `function_timeout` None means no limit.
    Without an `extension_bundle` the host has no queue trigger. `notices` are lines to print.
    """

    functions: tuple[str, ...] | None
    function_timeout: timedelta | None
    queues: QueueOptions
    http: HttpOptions
    singleton: SingletonOptions
    extension_bundle: str | None
    notices: tuple[str, ...] = ()


def load_host_options(folder: Path, configuration: Configuration, *, development: bool, cpu_count: int) -> HostOptions:
    """The options of the app in this folder. A host.json that is missing or empty is written with what it stands for.

    Raises:
        HostConfigError: names the file (or the environment variable), the key, the value and what is allowed.
    """
    file = read_host_json(folder)
    settings = HostSettings(file.root, configuration)
    is_consumption = (configuration.get("WEBSITE_SKU") or "").lower() == "dynamic"
    return HostOptions(
        functions=_functions(settings),
        function_timeout=_function_timeout(settings, is_consumption=is_consumption),
        queues=read_queue_options(settings, development=development, cpu_count=cpu_count),
        http=_http(settings),
        singleton=_singleton(settings),
        extension_bundle=read_extension_bundle(settings),
        notices=(*file.notices, *misplaced(settings)),
    )


def _functions(settings: HostSettings) -> tuple[str, ...] | None:
    items = settings.below("functions")
    # Numbers in their order, then other keys in theirs, as .NET enumerates them.
    order = sorted(items, key=lambda key: (not key.isdecimal(), int(key) if key.isdecimal() else 0, key.lower()))
    return tuple(items[key] for key in order) or None


def _function_timeout(settings: HostSettings, *, is_consumption: bool) -> timedelta | None:
    default = DEFAULT_TIMEOUT_ON_CONSUMPTION if is_consumption else DEFAULT_TIMEOUT
    rule = f"{DURATION} from 00:00:01 to 00:10:00" if is_consumption else f'{DURATION} of at least 00:00:01, or "-1"'

    def allows(timeout: timedelta) -> bool:
        if is_consumption:
            return SHORTEST_TIMEOUT <= timeout <= LONGEST_TIMEOUT_ON_CONSUMPTION
        return timeout >= SHORTEST_TIMEOUT or timeout == NO_TIMEOUT

    timeout = settings.read(
        "functionTimeout",
        lambda text: parse_timespan(text) if text else default,  # null is as good as absent
        default,
        rule=rule,
        allows=allows,
    )
    return None if timeout == NO_TIMEOUT else timeout


def _http(settings: HostSettings) -> HttpOptions:
    def limit(key: str) -> int:
        return settings.read(
            f"extensions.http.{key}",
            bind_integer,
            UNLIMITED,
            rule="1 or more, or -1 for no limit",
            allows=lambda value: value >= 1 or value == UNLIMITED,
        )

    # Nothing here depends on it, but the real host refuses what is no boolean.
    settings.read("extensions.http.dynamicThrottlesEnabled", bind_boolean, False, rule="true or false")
    return HttpOptions(
        route_prefix=settings.read("extensions.http.routePrefix", str, HttpOptions.route_prefix, rule="a text"),
        max_outstanding_requests=limit("maxOutstandingRequests"),
        max_concurrent_requests=limit("maxConcurrentRequests"),
        custom_headers=settings.below("extensions.http.customHeaders"),
    )


def _singleton(settings: HostSettings) -> SingletonOptions:
    return SingletonOptions(
        listener_lock_period=settings.read(
            "singleton.listenerLockPeriod",
            parse_timespan,
            SingletonOptions.listener_lock_period,
            rule=f"{DURATION} from 00:00:15 to 00:01:00",
            allows=lambda value: SHORTEST_LEASE <= value <= LONGEST_LEASE,
        ),
        listener_lock_recovery_polling_interval=settings.read(
            "singleton.listenerLockRecoveryPollingInterval",
            parse_timespan,
            SingletonOptions.listener_lock_recovery_polling_interval,
            rule=f"{DURATION} of at least 00:00:15",
            allows=lambda value: value >= SHORTEST_LEASE,
        ),
    )
