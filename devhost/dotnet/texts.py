"""Texts as .NET compares and measures them, where Python would answer differently."""


def ordinal_key(text: str) -> str:
    """A key that is equal for two texts exactly when they are equal under `StringComparison.OrdinalIgnoreCase`.

    As long as the text: each character is mapped on its own, and none that is not ASCII becomes ASCII (`ı`, `ſ`).
    """
    return text.upper() if text.isascii() else "".join(map(_upper, text))


def _upper(character: str) -> str:
    upper = character.upper()
    return upper if len(upper) == 1 and (character.isascii() or not upper.isascii()) else character


def utf16_length(text: str) -> int:
    """The length as .NET counts it: a character outside the basic plane counts two."""
    return len(text) + sum(character > "\uffff" for character in text)
