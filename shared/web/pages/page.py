"""One page: a template with everything it needs, under a policy that lets it load nothing else."""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import azure.functions as func
import jinja2
from markupsafe import Markup, escape

from shared.web.accept import HTML

_FOLDER = Path(__file__).parent / "templates"
_STYLE = "style.css"


def page(
    template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **values: Any
) -> func.HttpResponse:
    """An answer made from a template of this folder; whatever is filled in is escaped.

    `script`, a file of this folder, is the one script that may run in it.
    """
    script = values.get("script")
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
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }
    csp = "; ".join(f"{name} {value}" for name, value in policy.items())
    return func.HttpResponse(
        text, status_code=status, mimetype=HTML, headers={"Content-Security-Policy": csp, **(headers or {})}
    )


@cache
def _templates() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(_FOLDER)
    templates = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    templates.filters["code"] = _code
    return templates


def _code(text: str) -> Markup:
    """A text whose `backticks` mark code."""
    pieces = enumerate(text.split("`"))
    return Markup().join(Markup("<code>{}</code>").format(piece) if i % 2 else escape(piece) for i, piece in pieces)


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
