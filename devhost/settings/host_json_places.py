"""Keys of host.json that mean nothing where they stand. The host ignores them in silence; here a line says so."""

import difflib
from collections.abc import Iterator

from devhost.settings.host_settings import HostSettings, Leaf

# The keys that each section knows, in the spelling of Microsoft's host.json reference.
SECTIONS: dict[tuple[str, ...], tuple[str, ...]] = {
    (): (
        *("version", "$schema", "aggregator", "concurrency", "customHandler", "extensionBundle", "extensions"),
        *("fileWatchingEnabled", "functions", "functionTimeout", "healthMonitor", "httpWorker", "logging"),
        *("managedDependency", "retry", "sendCanceledInvocationsToWorker", "singleton", "telemetryMode"),
        *("watchDirectories", "watchFiles"),
    ),
    ("extensionBundle",): ("id", "version"),
    ("extensions",): (
        *("blobs", "cosmosDB", "durableTask", "eventGrid", "eventHubs", "http", "kafka", "queues", "sendGrid"),
        *("serviceBus", "signalR", "warmup"),
    ),
    ("extensions", "queues"): (
        *("batchSize", "newBatchThreshold", "maxPollingInterval", "maxDequeueCount", "visibilityTimeout"),
        "messageEncoding",
    ),
    ("extensions", "http"): (
        *("routePrefix", "maxOutstandingRequests", "maxConcurrentRequests", "dynamicThrottlesEnabled"),
        *("customHeaders", "hsts"),
    ),
    ("logging",): ("applicationInsights", "console", "fileLoggingMode", "logLevel"),
    ("logging", "applicationInsights"): (
        *("samplingSettings", "enableLiveMetrics", "enableDependencyTracking", "httpAutoCollectionOptions"),
        *("enablePerformanceCountersCollection", "snapshotConfiguration", "enableLiveMetricsFilters"),
        *("dependencyTrackingOptions", "enableAutocollectedMetricsExtractor", "liveMetricsInitializationDelay"),
    ),
    ("logging", "applicationInsights", "samplingSettings"): (
        *("isEnabled", "maxTelemetryItemsPerSecond", "evaluationInterval", "initialSamplingPercentage"),
        *("samplingPercentageIncreaseTimeout", "samplingPercentageDecreaseTimeout", "minSamplingPercentage"),
        *("maxSamplingPercentage", "movingAverageRatio", "excludedTypes", "includedTypes"),
    ),
    ("singleton",): (
        *("lockPeriod", "listenerLockPeriod", "listenerLockRecoveryPollingInterval", "lockAcquisitionTimeout"),
        "lockAcquisitionPollingInterval",
    ),
}
# Other packages add keys of their own to these, so only a likely slip is worth a line.
OPEN = {("extensions",), ("logging",), ("logging", "applicationInsights")}
ALIKE = 0.75


def misplaced(settings: HostSettings) -> tuple[str, ...]:
    """A line for each key that means nothing where it stands, with the place where it would mean something."""
    return tuple(dict.fromkeys(line for leaf in settings for line in _lines(leaf)))


def _lines(leaf: Leaf) -> Iterator[str]:
    for depth, name in enumerate(leaf.path):
        section = next((known for known in SECTIONS if _lower(known) == _lower(leaf.path[:depth])), None)
        if section is None:
            return
        if name.lower() in _lower(SECTIONS[section]):
            continue
        place = _likely_place(section, name)
        if place is not None:
            yield f"{leaf.origin}: {'.'.join((*section, name))} means nothing there and is ignored; see {place}."
        elif section not in OPEN:
            yield f"{leaf.origin}: {'.'.join((*section, name))} is not known to the host and is ignored."
        return


def _likely_place(section: tuple[str, ...], name: str) -> str | None:
    places = [(*known, key) for known, keys in SECTIONS.items() for key in keys]
    places.sort(key=lambda place: place[:-1] != section)  # of two that are equally alike, the near one
    best = max(places, key=lambda place: _likeness(place[-1], name))
    return ".".join(best) if _likeness(best[-1], name) >= ALIKE else None


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.lower(), other.lower()).ratio()


def _lower(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)
