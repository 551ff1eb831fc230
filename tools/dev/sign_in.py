"""`dev.py start --sign-in NAME`: whoever opens the app's pages here is one person, without any password."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

OPERATOR_ROLE = "fixit.operator"
PAGE = "/api/me"
"""Where a person's own pages begin."""

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "fixit:local")


@dataclass(frozen=True)
class SignIn:
    """Who one is. The same name is the same person at each start, so that their tasks stay theirs."""

    name: str
    is_operator: bool = False

    def settings(self, folder: Path) -> Mapping[str, str]:
        """The settings that make the app and the local host know this person; writes the file that they name."""
        folder.mkdir(parents=True, exist_ok=True)
        people = folder / "sign-in.json"
        person = {
            "tid": str(_NAMESPACE),
            "oid": str(uuid.uuid5(_NAMESPACE, self.name)),
            "name": self.name,
            "roles": [OPERATOR_ROLE] if self.is_operator else [],
        }
        people.write_text(json.dumps({self.name: person}, indent=2), encoding="utf-8")
        return {
            "FIXIT_AUTH": "easyauth",
            "FIXIT_PLATFORM_AUTH": "true",
            "DEVHOST_SIGN_IN": str(people),
            "DEVHOST_SIGN_IN_AS": self.name,
        }
