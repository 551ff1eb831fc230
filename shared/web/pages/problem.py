"""A refusal, for whoever wanted a page."""

from collections.abc import Mapping
from typing import Any

import azure.functions as func

from shared.web.pages.page import page
from shared.web.routes import MY_TASKS, page_path

SIGN_IN = f"/.auth/login/aad?post_login_redirect_uri={page_path(MY_TASKS)}"
"""Where the platform signs people in; it leads back to a page of ours whatever was asked for, and nowhere else."""


def problem_page(
    status: int, code: str, title: str, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
) -> func.HttpResponse:
    """One refusal. Of the members for programs it shows what is wrong with which field."""
    sign_in = SIGN_IN if status == 401 else ""
    return page(
        "problem.html",
        status=status,
        headers=headers,
        code=code,
        title=title,
        detail=detail,
        errors=more.get("errors", ()),
        sign_in=sign_in,
        may_try_again=status >= 500,
    )
