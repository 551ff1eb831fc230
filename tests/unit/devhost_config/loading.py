"""Host options from a host.json's text and an environment, as a host on two cores in production has them."""

import json
from collections.abc import Mapping
from pathlib import Path

from devhost.settings.configuration import Configuration
from devhost.settings.host_json import HostOptions, load_host_options


def load(
    folder: Path, content: object, environment: Mapping[str, str] | None = None, *, development: bool = False
) -> HostOptions:
    """The options that come of the content: a text is written as it is, anything else as JSON."""
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / "host.json").write_text(text, encoding="utf-8")
    configuration = Configuration.from_environment(environment or {})
    return load_host_options(folder, configuration, development=development, cpu_count=2)


def with_queues(**queues: object) -> dict[str, object]:
    """A host.json with these queue settings."""
    return {"version": "2.0", "extensions": {"queues": queues}}
