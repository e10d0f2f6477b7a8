"""What `--json` prints, field by field: made from the types that are printed.

`python -m gnomon.cli.contracts > docs/contracts.md` writes the page; `python -m gnomon.cli.contracts "bias run"` prints the
JSON Schema of one command's output.
"""

from gnomon.cli.contracts.commands import CONTRACTS, Contract
from gnomon.cli.contracts.page import page
from gnomon.cli.contracts.schema import schema

__all__ = ["CONTRACTS", "Contract", "page", "schema"]
