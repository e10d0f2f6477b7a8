"""What `--json` prints, field by field: made from the types that are printed.

`python -m fiducial.cli.contracts > docs/contracts.md` writes the page; `python -m fiducial.cli.contracts "bias run"` prints
the JSON Schema of one command's output.
"""

from fiducial.cli.contracts.commands import CONTRACTS, Contract
from fiducial.cli.contracts.page import page
from fiducial.cli.contracts.schema import schema

__all__ = ["CONTRACTS", "Contract", "page", "schema"]
