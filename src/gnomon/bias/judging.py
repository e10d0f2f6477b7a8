"""Replies that the rules cannot read, put to a judge that only reads.

A judge call is a trial like any other: its role names the judge, its parent is the trial whose reply is judged. What
is no verdict is asked for once more, as the next turn of that chat; what then is none stays `judge_invalid`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from gnomon.bias.block import Arm, CertaintyKey, ChoiceKey, Prompt
from gnomon.bias.read import Reading
from gnomon.bias.source import BiasSource
from gnomon.judge.prompt import prompt_version
from gnomon.judge.read import TASK, ReadCase, ReadVerdict, parse_read, read_request
from gnomon.judge.verdict import Invalid
from gnomon.model.request import Request
from gnomon.run.plan import Trial, make_trial
from gnomon.run.store import Store, Text
from gnomon.run.writer import Writer

ATTEMPTS = 2
LEFT_OPEN = frozenset({"ambiguous", "unreadable"})
"""What goes to a judge. A refusal or an empty reply is an answer of its own kind, and nothing to look for."""

Texts = Mapping[str, Sequence[str]]
"""What the judge replied, in order, by the id of the trial it judged."""


class Judge(Struct, frozen=True, kw_only=True):
    """Who reads, and under which version of the prompt. Verdicts of another judge or version are other verdicts."""

    model: str
    prompt: str

    @property
    def role(self) -> str:
        """The role of its trials."""
        return f"judge:{TASK}:{hashlib.sha256(f'{self.model} {self.prompt}'.encode()).hexdigest()[:12]}"


def reading_judge(model: str) -> Judge:
    """The judge of that name, with the prompt of today."""
    return Judge(model=model, prompt=prompt_version(TASK))


def appointed(store: Store) -> Judge | None:
    """The judge that the run is scored with now, if there is one."""
    found: dict[str, object] = store.meta("judging") or {}
    return next((msgspec.convert(judge, Judge) for judge in found.values()), None)


def appoint(path: Path, judge: Judge | None) -> None:
    """From now on the run is scored with this judge, or with none. Earlier verdicts stay in the file."""
    with Writer(path) as writer:
        writer.set_meta("judging", {judge.role: judge} if judge else {})


def left_open(reading: Reading, arm: Arm, text: str) -> bool:
    """Whether a judge may settle it. A calibration answer also needs a confidence, which judges are not asked for."""
    if reading.status not in LEFT_OPEN or not text.strip():
        return False
    return not isinstance(arm.key, CertaintyKey) or reading.confidence is not None


def case_of(arm: Arm, prompt: Prompt, text: str) -> ReadCase:
    """What the judge is shown: the prompt as the subject saw it, and the reply. No key, no arm, no bias."""
    choice = isinstance(arm.key, ChoiceKey | CertaintyKey)
    return ReadCase(
        question=prompt.text, reply=text, labels=tuple(c.label for c in prompt.choices) if choice else ()
    )


class JudgeSource:
    """The judge's requests. The last reply of the history is the one to be judged, or the judge's own first try."""

    def __init__(self, source: BiasSource, *, seed: int) -> None:
        self._source = source
        self._seed = seed

    def request(self, trial: Trial, history: Sequence[str] = ()) -> Request:
        """The prompt of a verdict; of a second try, the whole chat."""
        _, arm = self._source.arm(trial)
        prompt = self._source.prompt(trial.item, trial.arm, trial.order)
        reply, said = (history[-1], None) if trial.repetition == 0 else (history[-2], history[-1])
        return read_request(case_of(arm, prompt, reply), seed=self._seed, said=said)


def first_try(row: Text, judge: Judge) -> Trial:
    """The trial that judges a reply."""
    return make_trial(row.item, judge.role, row.arm, order=row.order, turn=row.turn + 1, parent=row.trial)


def next_try(trial: Trial, judge: Judge) -> Trial:
    """The trial that asks again after `trial`, which gave no verdict."""
    return make_trial(
        trial.item,
        judge.role,
        trial.arm,
        order=trial.order,
        repetition=trial.repetition + 1,
        turn=trial.turn + 1,
        parent=trial.id,
    )


def judge_texts(store: Store, judge: Judge) -> dict[str, list[str]]:
    """What the judge has said so far."""
    found: dict[str, list[str]] = {}
    judged: dict[str, str] = {}  # from a trial of the judge to the trial it judged
    for reply in sorted(store.replies(role=judge.role), key=lambda r: r.trial.repetition):
        assert reply.trial.parent is not None
        subject = judged.get(reply.trial.parent, reply.trial.parent)
        judged[reply.trial.id] = subject
        found.setdefault(subject, []).append(reply.text)
    return found


def verdict_of(texts: Sequence[str], case: ReadCase) -> ReadVerdict | Invalid:
    """The first verdict among what the judge said, else why the last of it was none."""
    found: ReadVerdict | Invalid = Invalid("nothing was said")
    for text in texts:
        found = parse_read(text, case)
        if isinstance(found, ReadVerdict):
            break
    return found


def wanted_trials(
    store: Store, source: BiasSource, judge: Judge, unread: Iterable[tuple[Text, Arm]]
) -> list[Trial]:
    """The judge's trials for these replies: first tries, and second ones where the first was no verdict.

    A try that has no reply yet is among them; adding it to the run again changes nothing.
    """
    texts = judge_texts(store, judge)
    wanted = []
    for row, arm in unread:
        said = texts.get(row.trial, [])
        trial = first_try(row, judge)
        if said:
            case = case_of(arm, source.prompt(row.item, row.arm, row.order), row.text)
            if len(said) >= ATTEMPTS or isinstance(verdict_of(said, case), ReadVerdict):
                continue
            trial = next_try(trial, judge)
        wanted.append(trial)
    return wanted
