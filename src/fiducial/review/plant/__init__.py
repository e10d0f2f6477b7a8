"""Variants of a document with flaws that are known, because they were planted."""

from fiducial.review.plant.flaw import Flaw, Place
from fiducial.review.plant.operators import OPERATORS
from fiducial.review.plant.variant import Variant, plant, plant_many

__all__ = ["OPERATORS", "Flaw", "Place", "Variant", "plant", "plant_many"]
