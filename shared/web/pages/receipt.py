"""The page that a receipt leads to: "we are working on it". Whoever holds the link sees it, so it shows no content."""

import azure.functions as func

from shared.services.status import Status
from shared.web.pages.page import page
from shared.web.routes import task_page_path

SCRIPT = "receipt.js"

LEAST_SECONDS = 5
"""Between two loads of a page without script: a reader needs some time in between."""

_HEADINGS = {"succeeded": "It is recorded", "failed": "It could not be done", "cancelled": "It was cancelled"}
_LEADS = {
    "accepted": "It was accepted, and nothing is lost. How far it is cannot be read at the moment.",
    "queued": "It was accepted, and waits for its turn.",
    "processing": "It was accepted, and is under way.",
    "succeeded": "It has arrived and is kept; whoever deals with such tasks finds it. You can close this page.",
    "failed": "It was accepted, and then failed.",
    "cancelled": "Nothing more is done with it.",
}


def receipt_page(found: Status, *, again: int | None, signed_in: bool) -> func.HttpResponse:
    """200: where a task stands, in words. `again`: after how many seconds it is worth looking again.

    Until it is settled the page asks for itself how it goes on, by its script or by being loaded again.
    """
    return page(
        "receipt.html",
        script="" if found.is_settled else SCRIPT,
        headers={} if again is None else {"Retry-After": str(again)},
        found=found,
        heading=_HEADINGS.get(found.state, "We are working on it"),
        lead=_LEADS[found.state],
        reload_seconds=0 if found.is_settled else max(LEAST_SECONDS, again or 0),
        task_page=task_page_path(found.id) if signed_in else "",
    )
