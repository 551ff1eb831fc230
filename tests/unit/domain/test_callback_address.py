"""Which addresses are public."""

import pytest

from shared.domain.public_address import is_public


@pytest.mark.parametrize(
    "text",
    [
        "8.8.8.8",
        "20.50.2.1",
        "100.63.255.255",
        "100.128.0.1",
        "168.63.129.15",
        "168.63.129.17",
        "172.15.255.255",
        "172.32.0.1",
        "192.167.255.255",
        "198.17.255.255",
        "198.20.0.1",
        "223.255.255.255",
        "2001:4860:4860::8888",
        "2001:200::1",
        "2603:1030::1",
        "2606:4700:4700::1111",
    ],
)
def test_address_of_the_internet_is_public(text: str) -> None:
    assert is_public(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=f"{kind} {text}")
        for kind, text in [
            ("unspecified", "0.0.0.0"),
            ("this network", "0.1.2.3"),
            ("private", "10.0.0.1"),
            ("private", "10.255.255.255"),
            ("private", "172.16.0.1"),
            ("private", "172.31.255.255"),
            ("private", "192.168.1.1"),
            ("shared", "100.64.0.1"),
            ("shared", "100.127.255.255"),
            ("loopback", "127.0.0.1"),
            ("loopback", "127.255.255.254"),
            ("link-local", "169.254.1.1"),
            ("metadata", "169.254.169.254"),
            ("platform", "168.63.129.16"),
            ("protocol assignments", "192.0.0.8"),
            ("protocol assignments that are global", "192.0.0.9"),
            ("documentation", "192.0.2.1"),
            ("documentation", "198.51.100.1"),
            ("documentation", "203.0.113.1"),
            ("6to4 relay", "192.88.99.1"),
            ("benchmarking", "198.18.0.1"),
            ("benchmarking", "198.19.255.255"),
            ("multicast", "224.0.0.1"),
            ("multicast", "239.255.255.255"),
            ("reserved", "240.0.0.1"),
            ("broadcast", "255.255.255.255"),
            ("unspecified", "::"),
            ("loopback", "::1"),
            ("mapped", "::ffff:127.0.0.1"),
            ("mapped, of a public address", "::ffff:8.8.8.8"),
            ("compatible", "::127.0.0.1"),
            ("compatible, of a public address", "::8.8.8.8"),
            ("NAT64", "64:ff9b::10.0.0.1"),
            ("NAT64, of a public address", "64:ff9b::8.8.8.8"),
            ("NAT64, local", "64:ff9b:1::a00:1"),
            ("discard", "100::1"),
            ("Teredo", "2001::1"),
            ("benchmarking", "2001:2::1"),
            ("ORCHID", "2001:20::1"),
            ("documentation", "2001:db8::1"),
            ("documentation", "3fff::1"),
            ("6to4", "2002:7f00:1::1"),
            ("6to4, of a public address", "2002:808:808::1"),
            ("no unicast yet", "4000::1"),
            ("segment routing", "5f00::1"),
            ("ULA", "fc00::1"),
            ("ULA", "fd00::1"),
            ("metadata", "fd00:ec2::254"),
            ("link-local", "fe80::1"),
            ("link-local with a zone", "fe80::1%eth0"),
            ("site-local", "fec0::1"),
            ("multicast", "ff02::1"),
            ("a public one with a zone", "2606:4700:4700::1111%eth0"),
            ("number", "2130706433"),
            ("short", "127.1"),
            ("octal", "0177.0.0.1"),
            ("leading zero", "08.8.8.8"),
            ("blank", " 8.8.8.8"),
            ("name", "example.com"),
            ("nothing", ""),
        ]
    ],
)
def test_any_other_is_not(text: str) -> None:
    assert not is_public(text)
