"""Replies that the rules cannot read, put to a judge that only reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fiducial.bias.block import Arm, CertaintyKey, ChoiceKey, Prompt
from fiducial.bias.read import Reading
from fiducial.bias.source import BiasSource
from fiducial.judge.asking import Judge, appointed, said_by, wanted
from fiducial.judge.read import TASK, ReadCase, ReadVerdict, parse_read, read_request, read_version
from fiducial.judge.verdict import Invalid
from fiducial.model.request import Request
from fiducial.run.plan import Trial, make_trial
from fiducial.run.store import Store, Text

LEFT_OPEN = frozenset({"ambiguous", "unreadable"})
"""What goes to a judge. A refusal or an empty reply is an answer of its own kind, and nothing to look for."""


def reading_judge(model: str) -> Judge:
    """The judge of that name, with the prompt of today."""
    return Judge(model=model, prompt=read_version(), task=TASK)


def appointed_reader(store: Store) -> Judge | None:
    """The judge that the run is scored with now, if there is one."""
    return next((judge for judge in appointed(store) if judge.task == TASK), None)


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

    def __init__(self, source: BiasSource, *, secret: str) -> None:
        self._source = source
        self._secret = secret

    def request(self, trial: Trial, history: Sequence[str] = ()) -> Request:
        """The prompt of a verdict; of a second try, the whole chat."""
        turn = trial.turn - 1 - trial.repetition  # of the reply that is judged: the judge's own tries come after it
        arm = self._source.unit(trial.item, turn).arms[trial.arm]
        prompt = self._source.prompt(trial.item, trial.arm, trial.order, turn)
        reply, said = (history[-1], None) if trial.repetition == 0 else (history[-2], history[-1])
        return read_request(case_of(arm, prompt, reply), secret=self._secret, said=said)


def first_try(row: Text, judge: Judge) -> Trial:
    """The trial that judges a reply."""
    return make_trial(row.item, judge.role, row.arm, order=row.order, turn=row.turn + 1, parent=row.trial)


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
    """The judge's trials for these replies that are still to be asked."""
    cases = {
        first_try(row, judge): case_of(arm, source.prompt(row.item, row.arm, row.order, row.turn), row.text)
        for row, arm in unread
    }

    def settled(trial: Trial, texts: Sequence[str]) -> bool:
        return isinstance(verdict_of(texts, cases[trial]), ReadVerdict)

    return wanted(cases, said_by(store, judge), settled)
