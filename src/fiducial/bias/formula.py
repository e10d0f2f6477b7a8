"""Exact arithmetic on slots: the only expressions an item may contain.

Values are integers and fractions, never floats: an expected value that is equal on paper is equal here. A
parser of our own, because the well-kept evaluators compute in floats and allow far more than this.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

Value = Fraction | str

_BINARY: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda a, b: Fraction(a // b),
    ast.Mod: operator.mod,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Fraction, Fraction], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
MAX_POWER = 64
MAX_BITS = 500
"""Of a numerator or denominator. No item needs more, and a file could ask for a number that fills the memory."""


class FormulaError(ValueError):
    """The expression is not one of ours, or has no value."""


def number(text: str | float, slots: Mapping[str, Value]) -> Fraction:
    """The value of an expression such as `total * share / 100` or of a plain number."""
    if isinstance(text, int | float):
        return _literal(text)
    try:
        return _value(_parse(text), slots)
    except (ZeroDivisionError, OverflowError) as error:
        raise FormulaError(f"{text!r}: {error}") from error


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise FormulaError("a number beyond all bounds")
    return value


def _literal(value: float) -> Fraction:
    if isinstance(value, float) and not math.isfinite(value):
        raise FormulaError(f"{value} is not a number to compute with")
    return _bounded(Fraction(str(value)) if isinstance(value, float) else Fraction(value))


def holds(text: str, slots: Mapping[str, Value]) -> bool:
    """Whether a comparison such as `low < high` is true; chains as in mathematics."""
    tree = _parse(text)
    if not isinstance(tree, ast.Compare):
        raise FormulaError(f"{text!r} is not a comparison")
    if unknown := [op for op in tree.ops if type(op) not in _COMPARE]:
        raise FormulaError(f"{text!r}: {type(unknown[0]).__name__} is no comparison of numbers")
    try:
        values = [_value(side, slots) for side in (tree.left, *tree.comparators)]
    except ZeroDivisionError as error:
        raise FormulaError(f"{text!r}: {error}") from error
    pairs = pairwise(values)
    return all(_COMPARE[type(op)](*pair) for op, pair in zip(tree.ops, pairs, strict=True))


@lru_cache(maxsize=4096)
def _parse(text: str) -> ast.expr:
    if len(text) > 300:
        raise FormulaError("an expression longer than 300 characters")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise FormulaError(f"{text!r} is not an expression") from error


def _value(node: ast.expr, slots: Mapping[str, Value]) -> Fraction:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return _literal(value)
        case ast.Name(id=name):
            found = slots.get(name)
            if not isinstance(found, Fraction):
                raise FormulaError(f"{name!r} is not a number slot of this item")
            return _bounded(found)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, slots)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            power = _value(right, slots)
            if power.denominator != 1 or not 0 <= power <= MAX_POWER:
                raise FormulaError(f"powers are whole numbers up to {MAX_POWER}")
            base = _value(left, slots)
            if int(power) * max(base.numerator.bit_length(), base.denominator.bit_length()) > 2 * MAX_BITS:
                raise FormulaError("a number beyond all bounds")
            return _bounded(base ** int(power))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _bounded(_BINARY[type(op)](_value(left, slots), _value(right, slots)))
        case _:
            raise FormulaError(f"{ast.unparse(node)!r} is not allowed in an expression")
