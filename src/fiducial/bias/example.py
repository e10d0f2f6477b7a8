"""A bias with one of its items, as a seed makes it: what is shown to somebody who asks how it is measured."""

from __future__ import annotations

from msgspec import Struct

from fiducial.bias.block import Block, make_block, render
from fiducial.bias.item import Bias, ItemSpec
from fiducial.errors import UsageError


class Example(Struct, frozen=True):
    """One item of a bias and its block."""

    bias: Bias
    item: ItemSpec
    block: Block

    @property
    def prompts(self) -> dict[str, str]:
        """By arm, the prompt in its first option order. The words that differ are the arm's `marked`."""
        return {name: render(self.block, arm, 0).text for name, arm in self.block.arms.items()}


def example_of(bias: Bias, item: str | None = None, *, seed: int = 1) -> Example:
    """The item of that name, or the first."""
    spec = next((i for i in bias.items if item in (None, i.id)), None)
    if spec is None:
        raise UsageError(f"{bias.id} has no item {item!r}; it has {', '.join(i.id for i in bias.items)}.")
    return Example(bias, spec, make_block(bias, spec, seed=seed))
