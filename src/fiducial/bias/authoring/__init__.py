"""Bias files in the making: scaffolds, and items that a model proposes."""
