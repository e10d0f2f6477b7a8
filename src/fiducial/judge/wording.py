"""How a task is put to a judge: the shipped way, and the ways that ablations and attacks hold it against.

Every departure is made from the task's own text, so two wordings differ in the one thing that is asked about and in
nothing else. Each wording has a version of its own: its verdicts never mix with those of a run.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.judge.fence import mark
from fiducial.judge.prompt import prompt_text

DECIDING = ("verdict", "found", "answer", "finding", "confidence")
"""The fields of a verdict that decide; the others say why."""

_FORM = re.compile(r'\{("\w+": (?:<[^>]*>|\{\w+\})(?:, "\w+": (?:<[^>]*>|\{\w+\}))*)\}\s*\Z')
_FIELD = re.compile(r'"(\w+)": (?:<[^>]*>|\{\w+\})')
_OPEN = re.compile(r"^<<<(\w+) \{\w+_mark\}>>>$", re.MULTILINE)
_CLOSE = re.compile(r"^<<<end \{\w+_mark\}>>>\n?", re.MULTILINE)
_BLOCK = re.compile(r"(?:^Now the \w+\.\n\n)?^<<<\w+ \{(\w+)_mark\}>>>\n.*?^<<<end \{\1_mark\}>>>$", re.M | re.S)
_TASK_LINE = re.compile(r"^Task: ", re.MULTILINE)


class Wording(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A way to put a task. The default is how every run puts it."""

    name: str = "shipped"
    template: str | None = None  # in place of the task's text file
    verdict_first: bool = False  # the verdict is asked for before evidence and reason
    turned: bool = False  # what is asked about before what it is about; in a list, the last first
    key: bool = False  # the expected answer is shown
    fence: bool = True  # marks around untrusted text, and the paragraph that says what they are for
    schema: bool = True  # the reply is constrained where the provider can

    def version(self, shipped: str) -> str:
        """The version of the prompt under this wording; `shipped` is that of the task's own texts."""
        plain = msgspec.structs.replace(self, name="shipped")
        if plain == SHIPPED:
            return shipped
        return hashlib.sha256(msgspec.json.encode((shipped, plain))).hexdigest()[:16]

    def text(self, task: str) -> str:
        """The task's template under this wording; one that shows the expected answer has a place `{key}` for it."""
        text = prompt_text(task) if self.template is None else self.template.strip()
        if not self.fence:
            text = unfenced(text)
        if self.turned and task != "match":  # there, the list is turned
            text = _turned(text)
        if self.verdict_first:
            text = _verdict_first(text)
        if self.key:
            at = [found.start() for found in _TASK_LINE.finditer(text)][-1]
            text = f"{text[:at]}{prompt_text('key')}\n\n{text[at:]}"
        return text

    def limit(self, schema: dict[str, Any]) -> dict[str, Any] | None:
        """The schema that is sent, its fields in the order that the text asks for."""
        if not self.schema:
            return None
        if not self.verdict_first:
            return schema
        order = _deciding_first(list(schema["properties"]))
        return {**schema, "properties": {name: schema["properties"][name] for name in order}, "required": order}

    def around(self, name: str, text: str, *, secret: str) -> str:
        """One text of a list, between its own marked lines or under its name."""
        own = mark(secret, text)
        return f"<<<{name} {own}>>>\n{text}\n<<<end {own}>>>" if self.fence else f"{name.capitalize()}:\n{text}"


SHIPPED = Wording()


def check_template(task: str, text: str, *, where: str) -> str:
    """A template that somebody wrote in place of the shipped one, or a UsageError that says what it lacks."""
    places = set(re.findall(r"\{(\w+)\}", prompt_text(task))) - {"not_genuine", "answer_rule", "answer_form"}
    missing = sorted(place for place in places if f"{{{place}}}" not in text and not place.endswith("_mark"))
    if missing:
        raise UsageError(f"{where}: a prompt for the task {task} needs the places {{{'}, {'.join(missing)}}}")
    if f"Task: {task}" not in text.splitlines():
        raise UsageError(f"{where}: a prompt for the task {task} needs the line `Task: {task}`")
    return text


def unfenced(template: str) -> str:
    """The template with plain headings in place of marked lines, and without the paragraph that explains the marks."""
    bare = _OPEN.sub(lambda found: f"{found[1].capitalize()}:", _CLOSE.sub("", template))
    kept = [part for part in bare.split("\n\n") if "_mark}" not in part]
    return "\n\n".join(kept)


def _turned(template: str) -> str:
    """The template with its first and last block of material exchanged."""
    blocks = list(_BLOCK.finditer(template)) or list(
        re.finditer(r"(?:^Now the \w+\.\n\n)?^\w+:\n\{\w+\}$", template, re.MULTILINE)
    )
    if len(blocks) < 2:
        return template
    first, last = blocks[0], blocks[-1]
    middle = template[first.end() : last.start()]
    return f"{template[: first.start()]}{last[0]}{middle}{first[0]}{template[last.end() :]}"


def _verdict_first(template: str) -> str:
    """The template with the deciding fields first in the form of the reply."""
    form = _FORM.search(template)
    if form is None:
        return template
    fields = {found[1]: found[0] for found in _FIELD.finditer(form[1])}
    ordered = ", ".join(fields[name] for name in _deciding_first(list(fields)))
    return f"{template[: form.start(1)]}{ordered}{template[form.end(1) :]}"


def _deciding_first(names: list[str]) -> list[str]:
    return [name for name in DECIDING if name in names] + [name for name in names if name not in DECIDING]
