"""What logs of Inspect's hold for Fiducial: replies of the battery, outputs of reviewers, recorded replies of other tasks.

| kind | what every sample has to have | what it becomes |
|---|---|---|
| `run` | a trial of `fiducial/bias` in its metadata | a run file, as `fiducial bias run` makes it |
| `outputs` | `document_id` (else its id is taken), `reviewer` (else `--reviewer`) | a folder for `review run --outputs` |
| `replies` | `bias`, `item`, `arm`, `kind` and `biased` in its metadata | JSON Lines for `bias score` |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from msgspec import Struct

from fiducial.bias.rows import parse_rows
from fiducial.errors import UsageError, command
from fiducial.inspect.bias_scores import TRIAL
from fiducial.inspect.run_file import write_run
from fiducial.model.bridge import read_output
from fiducial.model.reply import CallFailed

Kind = Literal["run", "outputs", "replies"]
KINDS: tuple[Kind, ...] = ("run", "outputs", "replies")
ROW = ("bias", "item", "arm", "kind", "biased")
OPTIONAL = ("options", "prompt")
_UNFIT = re.compile(r"[^\w.@+ -]+")


class Imported(Struct, frozen=True, kw_only=True):
    """What an import wrote, and the command that goes on from there."""

    kind: Kind
    path: str
    samples: int  # that are in what was written
    left_out: dict[str, int]  # by reason: no output, an error
    next: str


def import_log(
    path: Path, *, kind: Kind | None = None, out: Path | None = None, reviewer: str | None = None
) -> Imported:
    """Read a log (.eval or .json) and write what is in it. Nothing that exists is written over."""
    log = _read(path)
    samples = log.samples or []
    if not samples:
        raise UsageError(
            f"{path}: a log without samples: it was written with --no-log-samples, or nothing was run."
        )
    what = kind or _kind(log, path)
    if what == "run":
        target, count, lost = write_run(log, path, out)
        return Imported(
            kind=what, path=str(target), samples=count, left_out=lost, next=command("report", target, "--open")
        )
    if what == "outputs":
        return _outputs(samples, out or Path(f"{path.stem}-outputs"), reviewer)
    return _replies(samples, path, out or Path(f"{path.stem}.jsonl"))


def _read(path: Path) -> EvalLog:
    if not path.is_file():
        raise UsageError(f"{path}: there is no such file.")
    try:
        return read_eval_log(str(path), resolve_attachments=True)
    except Exception as error:  # any: a file that is no log fails in as many ways as there are files
        raise UsageError(
            f"{path}: not a log of Inspect AI's that can be read ({type(error).__name__}: {error})"
        ) from error


def _kind(log: EvalLog, path: Path) -> Kind:
    samples = log.samples or []
    if any(TRIAL in sample.metadata for sample in samples):
        return "run"
    if any(all(name in sample.metadata for name in ROW) for sample in samples):
        return "replies"
    if any("document" in sample.metadata or "document_id" in sample.metadata for sample in samples):
        return "outputs"
    raise UsageError(
        f"{path}: what is in it? Its samples are no trials of fiducial/bias; outputs of reviewers have metadata with "
        f'"document_id" and "reviewer"; replies to a bias battery of your own have metadata with {", ".join(ROW)}. '
        "--as outputs --reviewer R takes the samples' ids for documents."
    )


def _said(sample: EvalSample, lost: Counter[str]) -> str | None:
    """The text of the output; None, and counted, where there is none: a call that failed is no empty review."""
    if sample.error is not None:
        lost["error"] += 1
        return None
    try:
        return read_output(sample.output).text
    except CallFailed:
        lost["no output"] += 1
        return None


def _outputs(samples: Sequence[EvalSample], out: Path, reviewer: str | None) -> Imported:
    if out.exists():
        raise UsageError(f"{out}: exists already; choose another --out.")
    lost: Counter[str] = Counter()
    texts: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for sample in samples:
        name = sample.metadata.get("reviewer") or reviewer
        if not isinstance(name, str) or not name.strip():
            raise UsageError(
                f'sample {sample.id}: who wrote it? Its metadata has no "reviewer": name one, --reviewer R.'
            )
        text = _said(sample, lost)
        if text is not None:
            document = str(sample.metadata.get("document_id") or sample.id)
            texts.setdefault((_name(document), _name(name)), []).append((sample.epoch, text))
    if not texts:
        raise UsageError(f"no sample has an output ({_listed(lost)}).")
    for (document, name), own in texts.items():
        folder = out / document / name
        folder.mkdir(parents=True)
        for number, (_, text) in enumerate(sorted(own, key=lambda run: run[0]), 1):
            (folder / f"run-{number}.md").write_bytes(text.encode("utf-8", "replace"))
    documents = ", ".join(dict.fromkeys(document for document, _ in texts))
    return Imported(
        kind="outputs",
        path=str(out),
        samples=sum(map(len, texts.values())),
        left_out=dict(lost),
        next=command("review", "run", "DATASET", "--outputs", out, "--judge", "MODEL")
        + f"   (DATASET has the documents {documents})",
    )


def _name(said: str) -> str:
    """A name that is one part of a path, whatever a log says."""
    return _UNFIT.sub("-", said).strip(" .-")[:120] or "unnamed"


def _replies(samples: Sequence[EvalSample], path: Path, out: Path) -> Imported:
    if out.exists():
        raise UsageError(f"{out}: exists already; choose another --out.")
    lost: Counter[str] = Counter()
    lines = []
    for sample in samples:
        if missing := [name for name in ROW if name not in sample.metadata]:
            raise UsageError(f'{path}, sample {sample.id}: its metadata has no "{missing[0]}".')
        text = _said(sample, lost)
        if text is None:
            continue
        row: dict[str, Any] = {name: sample.metadata.get(name) for name in (*ROW, *OPTIONAL)}
        row["prompt"] = row["prompt"] or _asked(sample)
        lines.append(msgspec.json.encode({**row, "response": text}).decode())
    if not lines:
        raise UsageError(f"no sample has an output ({_listed(lost)}).")
    parse_rows(lines, file=str(path))
    out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return Imported(
        kind="replies",
        path=str(out),
        samples=len(lines),
        left_out=dict(lost),
        next=command("bias", "score", out),
    )


def _asked(sample: EvalSample) -> str:
    """The last thing that the user said."""
    if isinstance(sample.input, str):
        return sample.input
    return next((message.text for message in reversed(sample.input) if message.role == "user"), "")


def _listed(lost: Counter[str]) -> str:
    return ", ".join(f"{n} × {why}" for why, n in lost.items()) or "none was run"
