"""What the answers about the state of the app look like."""

from collections.abc import Sequence

import azure.functions as func

from shared.domain import instants
from shared.services.health import PartHealth
from shared.services.stats import Stats
from shared.web.answers import as_json


def health_details(version: str, parts: Sequence[PartHealth]) -> func.HttpResponse:
    """200: every part is well; 503 with the same body: one is not. It names no account, key or host."""
    verdicts = {part.verdict for part in parts}
    status = next((each for each in ("down", "slow") if each in verdicts), "ok")
    body = {"status": status, "version": version, "parts": [part.to_data() for part in parts]}
    return as_json(200 if status == "ok" else 503, body)


def stats(found: Stats) -> func.HttpResponse:
    """200: what waits, whatever of it could be read."""
    body = {
        "at": instants.to_text(found.at),
        "lanes": [queue.to_data() for queue in found.queues],
        "steps": [queue.to_data() for queue in found.steps],
        "deadLetters": found.letters.to_data(),
    }
    return as_json(200, body)
