"""Which addresses are the public internet's: the others are not for a callback, whoever asks for it."""

from ipaddress import IPv6Address, IPv6Network, ip_address, ip_network

_GLOBAL_UNICAST = IPv6Network("2000::/3")
"""All that the internet routes in IPv6. Outside are loopback, mapped, compatible, NAT64, ULA, link- and site-local."""

_NEVER = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by the customers of a provider
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # Azure's own host, public by its number alone
        "169.254.0.0/16",  # link-local, with the metadata service
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarking
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
        "2001::/23",  # protocol assignments: Teredo, which embeds addresses, benchmarking, ORCHID
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which embeds addresses
        "3fff::/20",  # documentation
    )
)
"""https://www.iana.org/assignments/iana-ipv4-special-registry and its like for IPv6, written out: what Python's
`is_global` says differs by its version, and it calls multicast global."""


def is_public(text: str) -> bool:
    """Whether this is an address, in its plain form, that everybody on the internet reaches alike."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and (address.scope_id or address not in _GLOBAL_UNICAST):
        return False
    return address.is_global and not any(address in network for network in _NEVER)
