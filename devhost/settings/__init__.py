"""Everything the host is told: environment, local.settings.json, host.json, and the connections they name."""
