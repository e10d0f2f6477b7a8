"""What every page is made with: the templates, the style sheet, the one script and the policy that names it.

A page asks for nothing: no font, no script, no picture from anywhere. Its script is named in the page's own security
policy by its hash, so nothing that a model wrote can run even if it came through unescaped. All text goes through
`legible` on its way into a template, and is escaped there.
"""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from importlib.resources import files

import jinja2
from markupsafe import Markup

import fiducial
from fiducial.report import numbers
from fiducial.report.inert import clip, legible, soft
from fiducial.report.unread import reasons


@lru_cache
def asset(name: str) -> str:
    """The text of a file of this package."""
    return (files("fiducial.report") / name).read_text("utf-8")


def dressing(*names: str) -> dict[str, object]:
    """What `base.html` needs: style sheets and scripts of these names, joined, and the hash of the script."""
    style = "".join(asset(f"{name}.css") for name in names)
    script = "".join(asset(f"{name}.js") for name in names)
    return {
        "version": fiducial.__version__,
        "style": Markup(style),  # noqa: S704  (our own files)
        "script": Markup(script),  # noqa: S704  (our own files)
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }


def environment() -> jinja2.Environment:
    """An environment for the templates of this package, with the filters that every page uses."""
    env = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: asset(f"templates/{name}")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # The one gate for text: whatever a template prints is made legible, then escaped.
        finalize=lambda value: (
            legible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
        ),
    )
    env.filters |= {
        "signed": numbers.signed,
        "plain": numbers.plain,
        "percent": numbers.percent,
        "probability": numbers.probability,
        "count": numbers.count,
        "counted": numbers.counted,
        "known": numbers.known,
        "why_not": numbers.why_not,
        "clip": clip,
        "soft": soft,
        "reasons": reasons,
    }
    env.globals |= {"share": numbers.share, "interval": numbers.interval}
    return env
