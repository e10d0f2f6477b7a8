"""The parts of findings, and what is decided about outputs as a whole."""

from __future__ import annotations

import json

import pytest

from fiducial.review.finding import Finding
from fiducial.review.parse import parse
from fiducial.review.parse.objects import BLANK, BROKEN, CUT


def only(text: str) -> Finding:
    (finding,) = parse(text).findings
    return finding


def test_a_record_keeps_all_its_fields() -> None:
    record = {
        "type": "finding", "id": "ah-1", "title": "No rollback", "severity": "Critical",
        "phase": {"primary": "design", "contributing": "requirements"}, "confidence": 85, "section": ["3.1", "3.2"],
        "issue": "There is none.", "why_it_matters": "Data is lost.", "suggestion": ["Add one.", "Test it."],
    }  # fmt: skip
    assert only(json.dumps(record)) == Finding(
        id="ah-1", title="No rollback", severity="Critical", confidence=0.85, phase="design", section="3.1, 3.2",
        issue="There is none.", why_it_matters="Data is lost.", suggestion="Add one.\nTest it.",
    )  # fmt: skip


def test_bullets_under_a_heading_keep_their_continuation_lines() -> None:
    finding = only(
        "### Finding 2: No rollback\n"
        "- **Severity:** Critical\n- **Phase:** design (primary)\n- **Section:** 3.1\n"
        "- **Issue:** There is none.\n  Nowhere.\n\n  - not in §3\n  - Impact: not a field here\n"
        "- **Why it matters:** Data\n  is lost.\n- **Suggestion:**\n  1. Add one.\n  2. Test it.\n"
    )
    assert finding == Finding(
        id="2", title="No rollback", severity="Critical", phase="design", section="3.1",
        issue="There is none.\nNowhere.\n\n- not in §3\n- Impact: not a field here",
        why_it_matters="Data\nis lost.", suggestion="1. Add one.\n2. Test it.",
    )  # fmt: skip


def test_text_without_a_label_is_the_issue_and_labels_that_say_nothing_are_left_out() -> None:
    finding = only(
        "### Finding 1: X is undefined\n**Severity:** Low\n**Section:** N/A\n\nIt is used twice.\n\n> a quote\n"
    )
    assert (finding.issue, finding.section, finding.severity) == ("It is used twice.\n\n> a quote", None, "Minor")


def test_closing_words_belong_to_no_finding() -> None:
    finding = only("### Finding 1: X\n- **Issue:** Bad.\n- **Fix:** Mend it.\n\nOverall, a good document.\n")
    assert (finding.issue, finding.suggestion) == ("Bad.", "Mend it.")


def test_a_title_is_taken_from_the_issue_where_there_is_none() -> None:
    finding = only('[{"issue": "The limit is 5 in §2. It is 7 in §4.", "severity": "low"}]')
    assert (finding.title, finding.issue) == ("The limit is 5 in §2", "The limit is 5 in §2. It is 7 in §4.")
    long = only(json.dumps([{"issue": "word " * 200, "severity": "low"}]))
    assert len(long.title) <= 160 and long.title.endswith("word")


def test_meta_records_keep_their_type_and_their_fields() -> None:
    parsed = parse(
        '{"type": "blind_spot_check", "question": "Who was not asked?", "answers": ["night shift", "vendors"]}'
    )
    (meta,) = parsed.meta
    assert meta.type == "blind_spot_check"
    assert meta.fields["answers"] == "night shift\nvendors"
    assert "night shift" in meta.text


def test_meta_sections_keep_their_words() -> None:
    parsed = parse("### Finding 1: X\n**Severity:** Low\n**Issue:** y\n\n## Blind Spots\n\n- Cost\n- Law\n")
    (meta,) = parsed.meta
    assert (meta.type, meta.title, meta.text) == ("blind_spot_check", "Blind Spots", "Cost\nLaw")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[{"title": "A", "issue": "B", "severity": "low"}, {"title": "C", "iss', CUT),
        ('[{"title": "A", "issue": "B", "severity": "low"}, {"title": "C", ? "issue": 1}]', BROKEN),
        ('{"type": "finding", "id": "1", "severity": "Critical"}', BLANK),
        ("### Finding 1\n\n### Finding 2: X is missing\nIt is.\n", "a heading without a title or a text"),
        ("<finding><title>A</title><issue>B</issue></finding><finding><title>C", CUT),
    ],
)
def test_what_is_lost_is_counted_with_its_reason_and_its_beginning(text: str, reason: str) -> None:
    parsed = parse(text)
    assert [lost.reason for lost in parsed.dropped_reasons] == [reason]
    assert parsed.dropped == 1
    assert parsed.dropped_reasons[0].excerpt.split()[0] in text


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", "empty"), (" \n\t\n", "empty"), ("```\n```", "empty"), ("---", "empty"), ("\x00\ufeff", "empty"),
        ("[]", "explicit_none"), ('{"findings": []}', "explicit_none"), ('{"issues": null}', "explicit_none"),
        ("No issues found.", "explicit_none"), ("I found no problems with this document.", "explicit_none"),
        ("None", "explicit_none"), ("LGTM 👍", "explicit_none"), ("## Findings\n\nNo findings.", "explicit_none"),
        ('{"critical": [], "minor": []}', "explicit_none"), ("<findings></findings>", "explicit_none"),
        ("I'm sorry, I can't help with that.", "refused"), ("I cannot review this document.", "refused"),
        ("I’m not able to assist with this.", "refused"), ('{"refusal": "I can\'t do that."}', "refused"),
        ("42", "malformed"), ("{}", "malformed"), ("The document is long.", "malformed"), ("[[[[", "malformed"),
        ("No issues in section 1. Section 2 is vague, however.", "malformed"), ('{"a": 1}', "malformed"),
        ("The system cannot help users who forgot their password.", "malformed"),
    ],
)  # fmt: skip
def test_every_output_without_findings_has_one_reason(text: str, status: str) -> None:
    parsed = parse(text)
    assert (parsed.status, parsed.findings) == (status, ())


def test_an_output_with_findings_is_not_a_refusal() -> None:
    parsed = parse('I\'m sorry, I cannot read the appendix.\n\n{"title": "A", "severity": "low", "issue": "b"}')
    assert parsed.status == "findings"


def test_a_finding_in_two_forms_is_counted_once_and_its_fuller_form_is_kept() -> None:
    table = "\n\n## Summary\n\n| Finding | Severity |\n|---|---|\n| no **rollback** | Critical |\n"
    parsed = parse('{"title": "No rollback", "severity": "Critical", "issue": "There is none."}' + table)
    (finding,) = parsed.findings
    assert finding.issue == "There is none."


def test_a_row_that_names_no_finding_told_elsewhere_stays() -> None:
    table = (
        "\n\n| Finding | Severity |\n|---|---|\n| No rollback | Critical |\n| Nobody owns the budget | Minor |\n"
    )
    parsed = parse(
        "### Finding 1: No rollback\n**Severity:** Critical\n**Issue:** None.\n"
        + table.replace("\n\n|", "\n\n## Table\n|", 1)
    )
    assert [f.title for f in parsed.findings] == ["No rollback", "Nobody owns the budget"]


def test_a_summary_that_lists_the_findings_by_number_repeats_them() -> None:
    parsed = parse(
        "## Summary\n\nFinding 1: No rollback (Critical)\n\nFinding 2: Two owners\n\n## Details\n\n"
        "### Finding 1: No rollback\n**Severity:** Critical\n**Issue:** There is none.\n\n"
        "### Finding 2: Two owners\n**Severity:** Minor\n**Issue:** Both.\n"
    )
    assert [(f.title, f.issue) for f in parsed.findings] == [
        ("No rollback", "There is none."),
        ("Two owners", "Both."),
    ]


def test_items_of_one_list_are_of_one_kind() -> None:
    parsed = parse("1. **A is missing** - text\n2. **B is wrong** (High) - text\n3. **C is late** - text\n")
    assert [f.severity for f in parsed.findings] == [None, "Critical", None]


def test_a_heading_over_a_json_record_is_its_label_and_not_another_finding() -> None:
    record = '{"title": "There is no rollback", "severity": "Critical", "issue": "x"}'
    assert (
        only(f"### Finding 1: Rollback is gone\n\nAs JSON:\n\n```json\n{record}\n```\n").title
        == "There is no rollback"
    )


def test_one_record_that_says_little_counts_among_others_of_its_list() -> None:
    parsed = parse('[{"title": "A", "severity": "low", "issue": "b"}, {"name": "C and D", "description": "e"}]')
    assert [f.title for f in parsed.findings] == ["A", "C and D"]


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "{" * 100_000, '{"a":' * 50_000, "<finding>" * 20_000, "- " * 100_000, "#" * 100_000, "|" * 200_000,
     "| a | b |\n|---|\n" * 20_000, '{"title": "' * 20_000, "**Severity:** High\n" * 10_000, "1. **a** b\n" * 20_000,
     "\n" * 2_000_000, " " * 2_000_000, "a" * 2_000_000, "[]" * 100_000, "<think>" * 50_000, '\\"' * 300_000],
    ids=lambda text: repr(text[:14]),
)  # fmt: skip
def test_large_and_hostile_texts_are_read_to_the_end(text: str) -> None:
    parse(text)  # work that grows with the square of the text would never come back


def test_a_large_output_is_read_in_full() -> None:
    record = {"type": "finding", "title": "", "severity": "Minor", "issue": "word " * 70, "confidence": 50}
    text = "\n".join(json.dumps({**record, "title": f"Number {n} is wrong"}) for n in range(4_500))
    assert len(text) > 2_000_000
    assert len(parse(text).findings) == 4_500
