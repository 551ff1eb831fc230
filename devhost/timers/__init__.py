"""The timer trigger."""
