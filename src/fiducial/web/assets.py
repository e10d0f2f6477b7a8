"""What the pages load: style sheets and scripts of our own, and the chart engine out of an installed package.

An address holds the hash of what is behind it, so a browser may keep it for good. The chart engine (Vega-Lite, with the
interpreter that needs no `eval`) is bundled by `vl-convert` when it is first asked for.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files

import vl_convert
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fiducial.report.assets import asset

KINDS = {"css": "text/css", "js": "text/javascript"}
SHARED = ("page.css", "page.js", "review.css", "review.js")  # of the report
OWN = tuple(
    sorted(p.name for p in (files("fiducial.web") / "static").iterdir() if p.name.rpartition(".")[2] in KINDS)
)
ENGINE = "vega.js"


@lru_cache
def content(name: str) -> bytes:
    """The asset of this name."""
    if name == ENGINE:
        return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").encode()
    if name in SHARED:
        return asset(name).encode()
    return (files("fiducial.web") / "static" / name).read_bytes()


@lru_cache
def address(name: str) -> str:
    """Where a page finds an asset."""
    # The engine's text follows from the package's version; to bundle it takes seconds that no page should wait for.
    mark = version("vl-convert-python").encode() if name == ENGINE else content(name)
    return f"/static/{hashlib.sha256(mark).hexdigest()[:12]}/{name}"


def served(request: Request) -> Response:
    """One asset."""
    name = request.path_params["name"]
    if name not in (*SHARED, *OWN, ENGINE):
        return Response("There is no such file.", 404, media_type="text/plain")
    headers = {"cache-control": "private, max-age=31536000, immutable"}
    return Response(content(name), headers=headers, media_type=KINDS[name.rpartition(".")[2]])


ROUTES = [Route("/static/{mark}/{name}", served)]
