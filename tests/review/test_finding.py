from __future__ import annotations

from fiducial.review.finding import Finding, fold


def test_a_finding_is_known_by_its_content_and_not_by_its_id_or_severity() -> None:
    one = Finding(id="F1", title="No rollback", issue="There is none.", severity="Critical")
    other = Finding(id="7", title="**no  Rollback**", issue="there is\nnone", severity="Minor", confidence=0.5)
    assert one.content_hash == other.content_hash
    assert len(one.content_hash) == 16


def test_title_and_issue_both_count_and_are_not_run_together() -> None:
    hashes = {
        Finding(title="a", issue="b c").content_hash,
        Finding(title="a b", issue="c").content_hash,
        Finding(title="a b c").content_hash,
        Finding(title="a", issue="b d").content_hash,
    }
    assert len(hashes) == 4


def test_texts_without_a_word_are_told_apart() -> None:
    assert fold("🔥") != fold("💧")
    assert Finding(title="🔥").content_hash != Finding(title="💧").content_hash
    assert Finding(title="\ud800").content_hash  # half a character cannot be encoded, and is no reason to fail
