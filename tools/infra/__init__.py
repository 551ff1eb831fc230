"""The checks of the infrastructure: `python -m tools.infra`."""
