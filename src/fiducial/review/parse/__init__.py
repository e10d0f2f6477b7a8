"""Reading what reviewers really write: findings from JSON, Markdown, lists, tables and tags, whole or broken."""

from __future__ import annotations

from fiducial.review.parse.parse import faulty, parse

__all__ = ["faulty", "parse"]
