"""Every command that opens a run file, on files that are damaged or were made to do harm."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from fiducial.cli.main import main
from fiducial.run import schema
from tests.run.hostile import ODD, REFUSED, spoiled

RUN = "spoiled.db"
ALL = (
    ("report", RUN, "--json"),
    ("report", RUN, "--out", "page.html"),
    ("audit", RUN, "--strict"),
    ("compare", "sound.db", RUN),
    ("export", RUN),
    ("export", RUN, "--what", "trials"),
    ("export", RUN, "--what", "verdicts", "--format", "csv"),
    ("rescore", RUN, "--json"),
)
BIAS = (
    ("bias", "items", RUN),
    ("bias", "run", "--model", f"replay/{RUN}", "--bias", "anchoring_effect", "--trials", "1", "--out", "new.db"),
    (
        "bias",
        "run",
        "--model",
        "sim/coin",
        "--bias",
        "anchoring_effect",
        "--trials",
        "1",
        "--reuse",
        RUN,
        "--out",
        "n.db",
    ),
)
REVIEW = (
    ("review", "propose", RUN),
    ("review", "rejudge", RUN, "--judge", "py/tests.run.hostile:Silent"),
    ("judge", "label", RUN, "--rater", "x"),
    (
        "judge",
        "calibrate",
        "--judge",
        "sim/judge:sensitivity=.8,specificity=.7",
        "--task",
        "genuine",
        "--set",
        f"labels:{RUN}",
    ),
)

OTHERS = {
    "bias": ("papers", "must_find", "reviewers"),
    "review": ("blocks", "biases", "scored"),
}  # not in such a file

Told = Callable[..., tuple[int, str, str]]


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    """The command line in this process, which is a tenth of the time: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(schema, "_checked", {})

    def tell(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["fiducial", *words])
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main()
        said = [stream.buffer.getvalue().decode() for stream in (out, err)]
        code = ended.value.code
        assert isinstance(code, int) and 0 <= code <= 4, said
        for text in said:
            assert "Traceback" not in text and "\x1b" not in text
        assert "this is a fault of Fiducial, not" not in said[1]
        if code in (2, 4):
            assert any(line.startswith("fiducial: ") for line in said[1].splitlines()), said[1]
            assert len(said[1]) < 1500
        return code, said[0], said[1]

    return tell


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_damaged_or_not_ours_is_refused_by_every_command_and_left_as_it_is(
    tmp_path: Path, told: Told, name: str
) -> None:
    path = spoiled(tmp_path, "bias", REFUSED[name])
    spoiled(tmp_path, "bias", lambda _: None, "sound")
    before = path.read_bytes()
    for words in (*ALL, *BIAS, *REVIEW):
        assert told(*words)[0] in (2, 4), words
    assert path.read_bytes() == before
    code, listed, _ = told("runs", "--folder", ".", "--json")
    assert code == 0 and {run["name"] for run in msgspec.json.decode(listed)} >= {"spoiled", "sound"}


@pytest.mark.parametrize(
    ("base", "name"),
    [(base, name) for base in ("bias", "review") for name in ODD if not name.startswith(OTHERS[base])],
)
def test_odd_content_ends_every_command_in_words(tmp_path: Path, told: Told, base: str, name: str) -> None:
    spoiled(tmp_path, base, ODD[name])
    spoiled(tmp_path, base, lambda _: None, "sound")
    for words in (("runs", "--folder", "."), *ALL, *(BIAS if base == "bias" else REVIEW)):
        told(*words)


@pytest.mark.parametrize("debug", [True, False])
def test_a_fault_of_the_program_is_exit_code_4_and_one_sentence_unless_the_traceback_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], debug: bool
) -> None:
    def broken(folder: Path) -> None:
        raise LookupError("\x1b[31mno such \x07thing")

    monkeypatch.setattr("fiducial.run.listing.list_runs", broken)
    monkeypatch.setattr(sys, "argv", ["fiducial", *(["--debug"] if debug else []), "runs"])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == 4 and "this is a fault of Fiducial" in said and "--debug" in said
    assert ("Traceback" in said) == debug and "\x1b" not in said and "\x07" not in said
