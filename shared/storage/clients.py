"""How every storage client of the product is made: its transport, its retries, its sign-in."""

import logging
from typing import TYPE_CHECKING, Any

from azure.core.pipeline.transport import AioHttpTransport

from shared.storage.connections import Service, StorageConnections

if TYPE_CHECKING:
    from azure.core.credentials_async import AsyncTokenCredential

CONNECT_SECONDS, READ_SECONDS = 2, 10
"""That one try may take to connect, and to answer. They are given to the transport: among the options of a client that
is given a transport, the SDK does not heed them, and a try would wait five minutes."""

_RETRIES: dict[str, Any] = {
    "retry_total": 2,
    # Queue and blob clients:
    "initial_backoff": 0.2,
    "increment_base": 0.5,
    "random_jitter_range": 0.2,
    # Table clients:
    "retry_backoff_factor": 0.2,
}
"""Two, after fractions of a second: what a short fault needs. A longer one is for deferral, or for the caller's 503."""


def make_client[C](
    kind: type[C],
    connections: StorageConnections,
    service: Service,
    credential: "AsyncTokenCredential | None",
    environment_proxy: bool,
) -> C:
    """A client of one service of an account, with a transport of its own (a transport is closed with its client).

    The SDK's default transport asks two threads about proxies and .netrc at each request; without that it makes 1.7
    times as many requests a second. `environment_proxy` brings the proxies of the environment back.
    """
    # Each request and answer at Information would be most of the log, and a good part of the time that a request takes.
    logging.getLogger("azure.core.pipeline.policies.http_logging_policy").setLevel(logging.WARNING)
    transport = AioHttpTransport(
        use_env_settings=environment_proxy, connection_timeout=CONNECT_SECONDS, read_timeout=READ_SECONDS
    )
    options = {**_RETRIES, "transport": transport}
    make: Any = kind
    client: C
    if connections.connection_string:
        client = make.from_connection_string(connections.connection_string, **options)
    else:
        client = make(connections.url(service), credential=credential, **options)
    return client


def make_credential(connections: StorageConnections) -> "AsyncTokenCredential | None":
    """The sign-in of an account that is reached by identity; None for one with a connection string."""
    if connections.connection_string:
        return None
    from azure.identity.aio import DefaultAzureCredential  # only where identity is used: 38 ms of cold start

    client_id = connections.client_id
    return DefaultAzureCredential(managed_identity_client_id=client_id) if client_id else DefaultAzureCredential()
