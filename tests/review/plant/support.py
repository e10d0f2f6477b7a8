"""Documents to plant flaws in."""

from __future__ import annotations

from pathlib import Path

import fiducial.review
from fiducial.review.plant.draw import Draw
from fiducial.review.plant.flaw import Candidate
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators import OPERATORS
from fiducial.review.plant.variant import Variant, plant

DATASETS = sorted((Path(fiducial.review.__file__).parent / "datasets").glob("*/document.md"))

# Small, and with material for every operator.
LENDING = """\
---
title: Lending R-01 within 5 minutes
---

# Lending service

## 1. Scope

### 1.1 In scope

- Lending and returning books.
- Reminders to readers.

### 1.2 Out of scope

- Inter-library loans, which the region handles.
- Sale of old books.

## 2. Glossary

| Term | Meaning |
|---|---|
| grace period | the 3 days after the due date in which no fee is charged |
| reader | a person with a card |
| shelf mark | the code that says where a book stands |
| night box | the slot at the entrance for returns outside opening hours |

## 3. Requirements

- **R-01** The service must send a reminder within 48 hours of the due date.
- **R-02** A fee must be charged after the grace period. It is explained in section 4.
- **R-03** The catalogue must show the shelf mark of each book. It requires R-04.
- **R-04** The catalogue must be updated within 12 minutes of a return.
- **R-05** Returns from the night box must be entered before the grace period is counted.

```text
R-01 must 48 hours | 60 %
```

## 4. Fees and thresholds

- **T-1** If more than 5 % of returns in a week are entered late, the head librarian must add a shift within 2 days.
- **T-2** If the catalogue is unavailable for more than 30 minutes, the operator must restore it from the copy.

Fees go to three funds: 50 % to books, 30 % to rooms and 20 % to staff.

## 5. Acceptance

- **A-1** (R-01) 100 loans are left to expire. Pass: 100 reminders within 48 hours of the due date.
- **A-2** (R-04) 50 returns. Pass: the catalogue is updated within 12 minutes in all 50 cases.
- **A-3** (R-03) A sample of 40 books. Pass: the catalogue shows 40 correct shelf marks.

## 6. Plan

| Id | Step | Owner | Needs | Start | End |
|---|---|---|---|---|---|
| S-1 | Catalogue cleaned | librarian | – | 2 March 2026 | 27 March 2026 |
| S-2 | Service built | supplier | S-1 | 30 March 2026 | 29 May 2026 |
| S-3 | Staff trained | librarian | S-2 | 1 June 2026 | 12 June 2026 |
| S-4 | Doors opened | director | S-3 | 15 June 2026 | 15 June 2026 |

The doors are opened on 15 June 2026 (S-4) for 17,350 readers.

| Branch | Readers | Books |
|---|---|---|
| North | 9,350 | 40,000 |
| South | 5,000 | 30,000 |
| West | 3,000 | 10,000 |
| Total | 17,350 | 80,000 |

1. Stop the old catalogue.
2. Copy the data to the new one.
3. Start the service.

## 7. Duties

| Duty | Owner |
|---|---|
| Catalogue, shelf marks | librarian |
| Fees, budget | director |
| Operation, copies | supplier |

## 8. Change history

| Version | Change |
|---|---|
| 1.0 | grace period of 3 days (R-02) |
"""


def candidates(operator: str, text: str, seed: int = 1) -> list[Candidate]:
    """All places of one operator."""
    return OPERATORS[operator].places(read(text), Draw.of(seed, text))


def undo(variant: Variant) -> str:
    """The variant with every recorded edit taken back, from the last to the first."""
    text = variant.text
    for flaw in reversed(variant.flaws):
        assert text[flaw.place.start : flaw.place.end] == flaw.changed
        text = text[: flaw.place.start] + flaw.original + text[flaw.place.end :]
    return text


def one(operator: str, text: str, seed: int = 1) -> Variant:
    """A variant with one flaw of that kind, which there must be."""
    variant = plant(text, seed=seed, count=1, operators=[operator])
    assert len(variant.flaws) == 1, (operator, variant.places, variant.dropped)
    return variant
