"""The names under which Inspect AI finds what is registered here: `fiducial/NAME`, wherever the package is installed."""

from __future__ import annotations

from inspect_ai._util.registry import registry_name

PACKAGE = "fiducial"


def named(name: str) -> str:
    """What to tell a decorator of Inspect's so that the registered name is `fiducial/NAME`.

    Inspect puts the package in front by itself where a distribution of the package's name is installed. Ours is called
    otherwise (`fiducial-eval`), and in an editable install the name would then stand bare.
    """
    return name if registry_name(named, name) == full(name) else full(name)


def full(name: str) -> str:
    """`fiducial/NAME`."""
    return f"{PACKAGE}/{name}"
