"""What is compared of what both templates deploy: all of it but what makes no difference."""

import json
from typing import Any

from tests.infra.deployment import SITE, Deployment
from tests.infra.planned import Planned


def comparable(deployed: Deployment) -> dict[str, Any]:
    """What is said of each resource, by its id."""
    return {each.id: _said(each) for each in deployed.resources.values()}


def _said(planned: Planned) -> Any:
    body = json.loads(json.dumps(planned.body))
    if planned.type == SITE:
        body["properties"]["siteConfig"]["appSettings"].sort(key=lambda setting: setting["name"])
    if planned.type == "Microsoft.Insights/workbooks":
        # azurerm takes the id in lower case alone, and JSON as it stands.
        body["properties"]["sourceId"] = body["properties"]["sourceId"].lower()
        body["properties"]["serializedData"] = json.loads(body["properties"]["serializedData"])
    return body
