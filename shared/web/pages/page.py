"""One page: a template with everything it needs, under a policy that lets it load nothing else."""

import base64
import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import azure.functions as func
import jinja2
from markupsafe import Markup, escape

from shared.domain import instants
from shared.web import routes
from shared.web.accept import HTML
from shared.web.pages.words import FAILURES, STATES, STEPS
from shared.web.routes import page_path

_FOLDER = Path(__file__).parent / "templates"
_STYLE = "style.css"
_OF_PAGES = {"Referrer-Policy": "same-origin"}
"""Without it old browsers hide, from us too, where a form was sent from."""

PATHS = {"my_tasks": page_path(routes.MY_TASKS), "new_task": page_path(routes.NEW_TASK), "sign_out": "/.auth/logout"}
"""Where the links at the top of a person's pages lead."""


def page(
    template: str,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    shown_from: str = "",
    **values: Any,
) -> func.HttpResponse:
    """An answer made from a template of this folder; whatever is filled in is escaped.

    `shown_from` is the origin to which our addresses of its pictures redirect, if it has some.

    `script`, a file of this folder, is the one script that may run in it. `who` is the person whose page it is, and
    `here` its name among `PATHS`.
    """
    values = {"script": "", "who": None, "here": "", **values}
    script = values["script"]
    text = (
        _templates()
        .get_template(template)
        .render(style=_text(_STYLE), script_text=_text(script) if script else "", **values)
    )
    policy = {
        "default-src": "'none'",
        "style-src": _hash(_STYLE),
        "script-src": _hash(script) if script else "'none'",
        "connect-src": "'self'" if script else "'none'",
        "img-src": f"data: 'self' {shown_from}" if shown_from else "data:",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }
    csp = "; ".join(f"{name} {value}" for name, value in policy.items())
    return func.HttpResponse(
        text,
        status_code=status,
        mimetype=HTML,
        headers={"Content-Security-Policy": csp, **_OF_PAGES, **(headers or {})},
    )


@cache
def _templates() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(_FOLDER)
    templates = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    templates.filters |= {"code": _code, "moment": _moment}
    templates.globals |= {"paths": PATHS, "state_words": STATES, "step_words": STEPS, "failure_words": FAILURES}
    return templates


def _code(text: str) -> Markup:
    """A text whose `backticks` mark code."""
    pieces = enumerate(text.split("`"))
    return Markup().join(Markup("<code>{}</code>").format(piece) if i % 2 else escape(piece) for i, piece in pieces)


def _moment(instant: datetime) -> Markup:
    """An instant for people and for programs."""
    utc = instant.astimezone(UTC)
    shown = f"{utc.day} {utc:%B} {utc.year}, {utc:%H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(instants.to_text(instant), shown)


@cache
def _text(name: str) -> str:
    """Of a file of ours that goes into the page as it is: it must hold no end of its own element."""
    text = (_FOLDER / name).read_text("utf-8")
    assert "</" not in text
    return text


@cache
def _hash(name: str) -> str:
    """What the policy calls an element that holds exactly this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(_text(name).encode()).digest()).decode()}'"
