"""Fix-It where the platform signs people in, and people who use it."""

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.fixit_app import FixIt
from tests.support.fixit_client import FixItClient
from tests.support.web_client import Answer, HeaderValue

TID = "0c1f9d7e-58f4-4a0e-8c4e-2f6d1b1c9a11"
OIDS = {
    "ann": "5b5450db-eb26-4c1a-981c-ba1d25f0483d",
    "bob": "14a87ffa-0801-49bf-a515-3d259a2a9f8f",
    "eve": "e-1",
    "ops": "o-1",
}
PEOPLE = {name: {"tid": TID, "oid": oid, "name": f"{name}@example.com"} for name, oid in OIDS.items()}
PEOPLE["ops"] |= {"roles": ["reader", "fixit.operator"]}  # type: ignore[dict-item]


def person(name: str) -> str:
    """Who that is, as `owner` and `createdBy` say it."""
    return f"{TID}:{OIDS[name]}"


def caller(name: str) -> str:
    """Whose keys theirs are."""
    return f"person:{person(name)}"


class Person(FixItClient):
    """Somebody who is signed in; nobody, without a name."""

    def __init__(self, url: str, name: str = "") -> None:
        super().__init__(url)
        self._name = name

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, HeaderValue] | None = None,
        *,
        timeout: float = 30,
    ) -> Answer:
        signed = {"X-Devhost-User": self._name} if self._name else {}
        return super().request(method, path, body, {**signed, **(headers or {})}, timeout=timeout)


@contextmanager
def signed_in_fixit(**settings: str) -> Iterator[FixIt]:
    """The product with `ann`, `bob`, `eve` and the operator `ops`; more settings, if any."""
    with tempfile.TemporaryDirectory(prefix="fixit-people-") as folder:
        people = Path(folder) / "people.json"
        people.write_text(json.dumps(PEOPLE), encoding="utf-8")
        ours = {"FIXIT_AUTH": "easyauth", "FIXIT_PLATFORM_AUTH": "true", "DEVHOST_SIGN_IN": str(people)}
        with FixIt(settings={**ours, **settings}) as running:
            yield running
