"""Variants of a document with flaws that are known, because they were planted."""

from gnomon.review.plant.flaw import Flaw, Place
from gnomon.review.plant.operators import OPERATORS
from gnomon.review.plant.variant import Variant, plant, plant_many

__all__ = ["OPERATORS", "Flaw", "Place", "Variant", "plant", "plant_many"]
