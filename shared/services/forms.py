"""Forms that only this app can have shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from shared.domain.errors import StaleForm
from shared.domain.form_token import is_form_of, sign_form
from shared.domain.principal import Principal


@dataclass(frozen=True)
class Forms:
    """`keys` sign, the first of them, and verify."""

    keys: Sequence[bytes]

    def token(self, who: Principal) -> str:
        """What a form that is shown to this person carries."""
        return sign_form(who.caller, now=datetime.now(UTC), keys=self.keys)

    def check(self, token: str, who: Principal) -> None:
        """StaleForm if the form was not shown to this person, or too long ago."""
        if not is_form_of(token, who.caller, now=datetime.now(UTC), keys=self.keys):
            raise StaleForm
