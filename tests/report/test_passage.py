"""Where in a document a claim points to."""

from __future__ import annotations

import pytest

from fiducial.report.passage import passage

TEXT = """# Night buses

## 1. Service
Buses run every 20 minutes between 23:00 and 05:00.
The last bus leaves the station at 04:30.

## 2. Tickets
A night ticket costs 4 euros. Day tickets are valid until the last bus.

### 2.1 Refunds
See R-4.

## Complaints
- **R-4** Complaints are answered within a fortnight by the office.

```
## 9. Not a heading
```
"""


def shown(claim: str, section: str | None = None) -> str:
    """How the passage begins."""
    return TEXT[passage(TEXT, claim, section).at :].partition("\n")[0]


@pytest.mark.parametrize(
    "said",
    [
        'It says "within a fortnight".',
        "It says “within a fortnight” and nothing else.",
        "It says 'within a fortnight', which isn't clear.",
        "It says `within a fortnight`.",
        "It says «within a   fortnight».",
    ],
)
def test_what_a_claim_quotes_is_found_and_marked(said: str) -> None:
    found = passage(TEXT, f"Vague time\n{said}")
    assert [TEXT[slice(*mark)] for mark in found.marks] == ["within a fortnight"]
    assert found.at == TEXT.index("within a fortnight") and found.why == "what the finding quotes"


def test_a_quotation_is_looked_for_in_the_section_that_is_named_first() -> None:
    found = passage(TEXT, "Unclear “last bus”", "Tickets")
    assert found.at == TEXT.rindex("last bus")
    assert passage(TEXT, "Unclear “last bus”").at == TEXT.index("last bus")


def test_the_longest_quotation_decides_and_all_are_marked() -> None:
    found = passage(TEXT, "“05:00” is not “The last bus leaves the station at 04:30”")
    assert found.at == TEXT.index("The last bus") and len(found.marks) == 2


@pytest.mark.parametrize(
    "section",
    [
        "Tickets",
        "2. Tickets",
        "Section 2",
        "§ 2",
        "section 2: tickets",
        "Tickets (prices)",
        "Night buses > Tickets",
        "Chapter 2 - Fares",
        "TICKETS",
    ],
)
def test_a_section_is_found_however_it_is_named(section: str) -> None:
    assert shown("No price for children", section) == "## 2. Tickets"


def test_a_subsection_is_found_by_its_number() -> None:
    assert shown("x", "2.1") == shown("x", "Sec. 2.1") == "### 2.1 Refunds"


def test_a_heading_inside_code_is_none() -> None:
    assert shown("x", "9. Not a heading") == "# Night buses"


def test_an_identifier_is_found_where_it_is_defined() -> None:
    found = passage(TEXT, "R-4 has no owner")
    assert found.at == TEXT.index("R-4** Complaints") and found.why == "where R-4 stands"


def test_without_a_clue_it_is_the_beginning() -> None:
    assert passage(TEXT, "Something is missing").at == 0
    assert passage(TEXT, "It says “nowhere to be found”, see R-44", "Appendix Q").at == 0


@pytest.mark.parametrize("section", ["", " ", "§", "?", "-", "a" * 100_000, "1." * 50_000, " > " * 50_000])
@pytest.mark.parametrize("claim", ["", '"', "“" * 100_000, '"a" ' * 100_000, "R-1 " * 100_000, "\ud800'x'"])
def test_no_claim_and_no_name_is_too_much(claim: str, section: str) -> None:
    found = passage(TEXT, claim, section)
    assert 0 <= found.at < len(TEXT)
