"""The addresses that a callback may connect to: looked up once, checked all, and no other is ever used.

A guard that asks before the client asks once more is none: a name may have a public address first and a private one
then (DNS rebinding). So the client gets a resolver that knows nothing but what was checked.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from aiohttp.abc import AbstractResolver, ResolveResult

from shared.domain.callback_rule import Allowed, is_allowed, is_literal
from shared.domain.public_address import is_public

Lookup = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host, for a port. OSError or UnicodeError: it has none."""


_LOOKUPS = ThreadPoolExecutor(max_workers=16, thread_name_prefix="callback-lookup")
"""Threads of their own: a name server that hangs keeps one past the deadline, and must not keep those of other work."""


class NotPublic(Exception):
    """An address of the host is not public; no connection was made."""


async def system_lookup(host: str, port: int) -> Sequence[str]:
    """The addresses that the system knows of a host, the likeliest to be reached first."""
    loop = asyncio.get_running_loop()
    found = await loop.run_in_executor(_LOOKUPS, partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM))
    return [str(address[0]) for *_, address in found]


async def checked_addresses(host: str, port: int, allowed: Allowed, lookup: Lookup) -> Sequence[str]:
    """The addresses of a host, every one of them public unless the operator opened the host.

    Raises:
        NotPublic: one of them is not.
        OSError, UnicodeError: it has none.
    """
    addresses = [host] if is_literal(host) else await lookup(host, port)
    if not addresses:
        raise OSError("the name has no address")
    if not is_allowed(host, port, allowed) and not all(is_public(address) for address in addresses):
        raise NotPublic
    return addresses


class CheckedResolver(AbstractResolver):
    """Answers with the addresses that were checked, whatever it is asked."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self._addresses = addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in self._addresses
        ]

    async def close(self) -> None:
        """There is nothing to release."""
