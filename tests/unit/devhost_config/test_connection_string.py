"""Connection strings. Each row was measured on Microsoft's own queue extension."""

import pytest

from devhost.settings.connection_string import EMULATOR_KEY, parse_connection_string

KEY = "AccountName=acct;AccountKey=a2V5"
SAS = "SharedAccessSignature=sv=1&sig=x"
NO_COMBINATION = "No valid combination of account information found."


@pytest.mark.parametrize(
    ("text", "url"),
    [
        (KEY, "https://acct.queue.core.windows.net/"),
        (f";;{KEY};;", "https://acct.queue.core.windows.net/"),
        ("accountname=acct;ACCOUNTKEY=a2V5", "https://acct.queue.core.windows.net/"),
        ("AccountName=ACCT;AccountKey=", "https://acct.queue.core.windows.net/"),
        (f"{KEY};AccountKeyName=k1", "https://acct.queue.core.windows.net/"),
        (f"{KEY};EndpointSuffix=core.chinacloudapi.cn", "https://acct.queue.core.chinacloudapi.cn/"),
        (f"{KEY};DefaultEndpointsProtocol=HTTP;EndpointSuffix=localhost", "http://acct.queue.localhost/"),
        (f"{KEY};BlobEndpoint=http://b", "https://acct.queue.core.windows.net/"),
        (f"AccountName=acct;{SAS}", "https://acct.queue.core.windows.net/?sv=1&sig=x"),
        (
            "AccountName=acct;SharedAccessSignature=?sv=a b&sig=+/=%2B",
            "https://acct.queue.core.windows.net/?sv=a%20b&sig=+/=%2B",
        ),
        ("QueueEndpoint=http://h:5/acct", "http://h:5/acct"),
        (f"QueueEndpoint=http://h:5/acct;{KEY}", "http://h:5/acct"),
        (f"QueueEndpoint=http://h:5/acct;{SAS}", "http://h:5/acct?sv=1&sig=x"),
        (f"QueueEndpoint=http://h/x?a=b;{SAS}", "http://h/x?a=b&sv=1&sig=x"),
        (f"QueueEndpoint=http://h;AccountName=acct;{SAS}", "http://h/?sv=1&sig=x"),
        (f"QueueEndpoint=http://H.Example:80/A/../b;{KEY}", "http://h.example/b"),
        (f"QueueEndpoint= http://h/é ;{KEY}", "http://h/%C3%A9"),
        (f"QueueEndpoint=http://h/%41%2f;{KEY}", "http://h/A%2f"),
        (f"QueueEndpoint=http://h/x;QueueSecondaryEndpoint=http://s;{KEY}", "http://h/x"),
        (f"QueueEndpoint=http://h/x;DefaultEndpointsProtocol=https;EndpointSuffix=x.y;{KEY}", "http://h/x"),
        ("usedevelopmentstorage=TRUE;", "http://127.0.0.1:10001/devstoreaccount1"),
        (
            "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://10.0.0.5:8888/x",
            "http://10.0.0.5:10001/devstoreaccount1",
        ),
        (
            "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=https://ten.example",
            "https://ten.example:10001/devstoreaccount1",
        ),
    ],
)
def test_connection_string_valid_gives_the_address(text: str, url: str) -> None:
    assert parse_connection_string(text, "queue").url == url


@pytest.mark.parametrize(
    "text",
    [
        *("hello=", "=", "=x", ";", f" {KEY}", "AccountName=acct; AccountKey=a2V5", f"{KEY};Foo=bar", f'"{KEY}"'),
        *("AccountName=acct", "AccountKey=a2V5", "AccountName='acct';AccountKey='a2V5'", SAS),
        *(f"AccountName=acct;AccountKey={key}" for key in ("not base64!", "a2V", "a2V5==", "a-_5")),
        *(
            f"{KEY};EndpointSuffix={suffix}"
            for suffix in ("", "http://x", "a b", "1.2.3.4", "a..b", "-a.b", "_a.b", "a:80")
        ),
        *(
            f"{KEY};EndpointSuffix={'a' * 64}.b",
            f"{KEY};DefaultEndpointsProtocol=ftp",
            f"{KEY};DefaultEndpointsProtocol=",
        ),
        *("UseDevelopmentStorage=false", "UseDevelopmentStorage=true ", f"UseDevelopmentStorage=true;{KEY}"),
        *(f"UseDevelopmentStorage=true;DevelopmentStorageProxyUri={proxy}" for proxy in ("", "10.0.0.5")),
        "DevelopmentStorageProxyUri=http://10.0.0.5",
        *(f"QueueEndpoint={address};{KEY}" for address in ("", "hello", "h:5/a", "127.0.0.1:10001/a", "/x", "http:h")),
        *(
            f"QueueEndpoint=http://{rest};{KEY}"
            for rest in ("/h", "h/a b", "h/%zz", "h:99999", "h/a|b", "h..x", "h/[x]")
        ),
        *(f"BlobEndpoint=hello;{KEY}", f"QueueSecondaryEndpoint=http://h;{KEY}", f"{KEY};{SAS}"),
        *("QueueEndpoint=http://h;AccountName=acct", f"QueueEndpoint=http://h;{KEY};{SAS}"),
        *(f"QueueEndpoint=http://h;{SAS};EndpointSuffix=x.y", f"QueueEndpoint=http://h;{SAS};AccountKey=a2V5"),
        f"QueueEndpoint=http://h;BlobSecondaryEndpoint=http://b;{SAS}",
    ],
)
def test_connection_string_of_no_account_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=NO_COMBINATION):
        parse_connection_string(text, "queue")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *(("hello", 'form "name=value"'), (" ", 'form "name=value"'), (f"{KEY};Foo", 'form "name=value"')),
        (f"{KEY};accountname=acct", "Duplicate setting 'accountname' found."),
        ("AccountName=;AccountKey=a2V5;QueueEndpoint=http://h", "Value cannot be null. (Parameter 'accountName')"),
        *(
            (f"AccountName={name};AccountKey=a2V5", "Invalid URI: The hostname could not be parsed.")
            for name in ("a b", "a:80", "a$b", "a..b")
        ),
        (f"BlobEndpoint=http://b;{SAS}", "Object reference not set to an instance of an object."),
        (f"QueueEndpoint=localhost:10001/devstoreaccount1;{KEY}", "The 'localhost' scheme is not supported."),
        (f"QueueEndpoint=http://[::1]:10001/d;{KEY}", "The input string ':1]:10001' was not in a correct format."),
        (f"QueueEndpoint=http://user:pw@h/x;{KEY}", "The input string 'pw@h' was not in a correct format."),
    ],
)
def test_connection_string_with_another_fault_is_refused_in_dotnets_words(text: str, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        parse_connection_string(text, "queue")
    assert message in str(refused.value)


def test_connection_string_key_with_white_space_is_taken_without() -> None:
    address = parse_connection_string("AccountName=Acct;AccountKey= a2 V5 ", "queue")
    assert (address.account_name, address.account_key) == ("Acct", "a2V5")


def test_connection_string_with_sas_has_no_key() -> None:
    assert parse_connection_string(f"QueueEndpoint=http://h;{SAS}", "queue").account_key is None


@pytest.mark.parametrize(("service", "port"), [("blob", 10000), ("queue", 10001), ("table", 10002)])
def test_connection_string_of_the_emulator_has_a_port_for_each_service(service: str, port: int) -> None:
    address = parse_connection_string("UseDevelopmentStorage=true", service)
    assert address.url == f"http://127.0.0.1:{port}/devstoreaccount1"
    assert (address.account_name, address.account_key) == ("devstoreaccount1", EMULATOR_KEY)


def test_connection_string_other_service_has_its_own_endpoint() -> None:
    text = f"{KEY};BlobEndpoint=http://b/x;QueueEndpoint=http://q/x"
    assert parse_connection_string(text, "blob").url == "http://b/x"
    assert parse_connection_string(text, "table").url == "https://acct.table.core.windows.net/"


def test_connection_string_parsed_keeps_its_secrets_out_of_sight() -> None:
    address = parse_connection_string(f"AccountName=acct;{SAS}", "queue")
    assert "sig" not in repr(address)
    assert "a2V5" not in repr(parse_connection_string(KEY, "queue"))
