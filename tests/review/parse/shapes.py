"""Findings written in the forms that reviewers use, from the same plain records."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from typing import Any

Record = dict[str, Any]
FIELDS = ("title", "severity", "confidence", "section", "issue", "why_it_matters", "suggestion")


def jsonl(records: list[Record]) -> str:
    return "\n".join(json.dumps({"type": "finding", **r}, ensure_ascii=False) for r in records)


def fenced(records: list[Record]) -> str:
    return f"Here are my findings:\n\n```jsonl\n{jsonl(records)}\n```\n\nThat is all."


def pretty(records: list[Record]) -> str:
    return "\n".join(json.dumps(r, indent=2) for r in records)


def array(records: list[Record]) -> str:
    return "```json\n" + json.dumps(records, indent=2, ensure_ascii=False) + "\n```"


def holder(records: list[Record]) -> str:
    return json.dumps({"review": {"document": "plan.md", "findings": records}}, ensure_ascii=False)


def python(records: list[Record]) -> str:
    return f"findings = {records!r}"


def loose(records: list[Record]) -> str:
    """Trailing commas, comments, and prose around."""
    body = ",\n".join("  // next\n  " + json.dumps(r, ensure_ascii=False)[:-1] + ",}" for r in records)
    return f"I think that [this] is it:\n[\n{body},\n]\nEnd."


def headings(records: list[Record]) -> str:
    parts = [
        f"### Finding {n}: {r['title']}\n\n"
        + "\n".join(f"- **{name.replace('_', ' ').capitalize()}:** {r[name]}" for name in FIELDS[1:])
        for n, r in enumerate(records, 1)
    ]
    return "# Review\n\nSome words first.\n\n" + "\n\n".join(parts) + "\n"


def bold_labels(records: list[Record]) -> str:
    return "\n\n---\n\n".join(
        f"## {n}. {r['title']}\n\n**Severity**: {r['severity']} | **Confidence**: {r['confidence']}\n\n"
        f"**Issue**: {r['issue']}\n\n**Impact**: {r['why_it_matters']}\n\n**Recommendation**: {r['suggestion']}"
        for n, r in enumerate(records, 1)
    )


def numbered(records: list[Record]) -> str:
    return "\n\n".join(
        f"{n}. **{r['title']}**\n   - Severity: {r['severity']}\n   - Confidence: {r['confidence']}%\n"
        f"   - Issue: {r['issue']}\n   - Suggestion: {r['suggestion']}"
        for n, r in enumerate(records, 1)
    )


def grouped_bullets(records: list[Record]) -> str:
    return "## Findings\n\n" + "\n".join(f"- **{r['title']}**: {r['issue']}" for r in records)


def lines(records: list[Record]) -> str:
    return "\n\n".join("\n".join(f"{name}: {r[name]}" for name in FIELDS) for r in records)


def table(records: list[Record]) -> str:
    head = "| # | Severity | Finding | Issue | Confidence |\n|---|---|---|---|---|\n"
    return head + "\n".join(
        f"| {n} | {r['severity']} | {r['title']} | {r['issue']} | {r['confidence']} |"
        for n, r in enumerate(records, 1)
    )


def yaml(records: list[Record]) -> str:
    return "```yaml\nfindings:\n" + "\n".join(
        f"  - title: {r['title']}\n    severity: {r['severity']}\n    confidence: {r['confidence']}\n"
        f"    issue: |\n      {r['issue']}\n    suggestion: {r['suggestion']}"
        for r in records
    ) + "\n```"  # fmt: skip


def tags(records: list[Record]) -> str:
    return "<findings>\n" + "\n".join(
        "<finding>" + "".join(f"<{name}>{escape(str(r[name]))}</{name}>" for name in FIELDS) + "</finding>" for r in records
    ) + "\n</findings>"  # fmt: skip


JSON_SHAPES: list[Callable[[list[Record]], str]] = [jsonl, fenced, pretty, array, holder, python, loose]
PROSE_SHAPES: list[Callable[[list[Record]], str]] = [
    headings,
    bold_labels,
    numbered,
    grouped_bullets,
    lines,
    table,
    yaml,
    tags,
]
