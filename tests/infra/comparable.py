"""What is compared of a resource that both templates deploy: all of it but what makes no difference."""

import json
from typing import Any

from tests.infra.deployment import SITE
from tests.infra.planned import Planned


def comparable(planned: Planned) -> dict[str, Any]:
    """What is said of it, in one order."""
    body = json.loads(json.dumps(planned.body))
    if planned.type == SITE:
        body["properties"]["siteConfig"]["appSettings"].sort(key=lambda setting: setting["name"])
    if planned.type == "Microsoft.Insights/workbooks":
        # azurerm takes the id in lower case alone, and JSON as it stands.
        body["properties"]["sourceId"] = body["properties"]["sourceId"].lower()
        body["properties"]["serializedData"] = json.loads(body["properties"]["serializedData"])
    return dict(body)
