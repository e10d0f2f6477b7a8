"""Fiducial measures the judgment of language models, and says how far each measurement can be trusted."""

__version__ = "0.1.0"
