"""A setting that refers to a secret in Key Vault holds the secret, once the platform has fetched it."""

from shared.domain.errors import SettingsError

_REFERENCE = "@Microsoft.KeyVault("
"""With this begins what the platform leaves in the place of a secret that it could not fetch. It must not be taken for
one: it can be guessed (https://learn.microsoft.com/azure/app-service/app-service-key-vault-references)."""


def check_resolved(name: str, text: str) -> None:
    """Raise SettingsError if the setting still holds its reference."""
    if text.strip().startswith(_REFERENCE):
        raise SettingsError(
            f"{name} is a reference to Key Vault that was not resolved: the secret must be there, and the identity "
            "of the app needs the role Key Vault Secrets User"
        )
