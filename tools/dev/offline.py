"""Tells a missing network from other failures, in the words of pip and npm."""

import re

from tools.dev.problem import Problem
from tools.dev.step import StepFailed

SIGNS = re.compile(
    "name resolution|getaddrinfo|nodename nor servname|Name or service not known|Failed to establish a new connection"
    "|Network is unreachable|ConnectTimeout|Read timed out|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT"
    "|ENETUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED"
)
ERROR = re.compile(r"error", re.IGNORECASE)


def explain(failure: StepFailed, *, tool: str, log: str, mirror: str) -> Problem:
    """What to tell a person about a failed install. `mirror` says how to name another source of packages."""
    if any(SIGNS.search(line) for line in failure.lines):
        return Problem(f"{tool} cannot reach its packages: go online (or {mirror}) and run this again. Details: {log}")
    errors = [line for line in failure.lines if ERROR.search(line)] or failure.lines or ["it said nothing"]
    return Problem(f"{tool} failed: {errors[0].strip()[:200]}  Mend that and run this again. Details: {log}")
