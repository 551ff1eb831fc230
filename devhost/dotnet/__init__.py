"""Texts and values as .NET reads and writes them, where Python would answer differently."""
