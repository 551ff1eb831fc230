"""What Schemathesis has to know of this app; it loads this file by the variable SCHEMATHESIS_HOOKS."""

from typing import Any

import schemathesis
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.openapi.checks import MissingHeaderNotRejected


@schemathesis.check
def no_fault_of_ours(ctx: Any, response: Any, case: Any) -> None:
    """503 and 504 are answers that the document names; 500 is a fault."""
    assert response.status_code != 500, response.text


@schemathesis.hook
def filter_failure(context: Any, failure: Any, case: Any, response: Any) -> bool:
    """Whether what was found is the app's: not what the platform does before it.

    It drops parameters with an empty value, and answers without a body to headers that are no HTTP (400) and to
    addresses that are too long (414). A batch is taken although a task of it is not right: that is told in its result.
    412 and 428 are refusals too.
    """
    has_empty = any(value in ("", [], [""]) for value in (case.query or {}).values())
    return not (
        (has_empty and response.status_code < 300)
        or (response.status_code in (400, 414) and not response.content)
        or (response.status_code == 207 and isinstance(failure, AcceptedNegativeData))
        or (response.status_code == 412 and isinstance(failure, AcceptedNegativeData))
        or (response.status_code == 428 and isinstance(failure, MissingHeaderNotRejected))
    )
