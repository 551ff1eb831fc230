"""The queue trigger and queue output."""
