"""One's own items at the command line: from `bias new` to a run, without the packaged battery's leave."""

from __future__ import annotations

import json
from pathlib import Path

from tests.bias.test_own import own
from tests.cli.support import fiducial, result


def filled(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("TODO: ", "").replace("positive: >", "positive: >-"), encoding="utf-8")


def test_from_nothing_to_a_run_with_an_item_of_ones_own(tmp_path: Path) -> None:
    made = fiducial("bias", "new", "queue_pride", "--paradigm", "rating_pair", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert (
        "6 places to fill in" in made.stdout and "Next: fiducial bias lint battery/queue_pride.yaml" in made.stdout
    )
    early = fiducial("bias", "run", "--model", "sim/coin", "--battery", "battery", "--tier", "own", cwd=tmp_path)
    assert early.returncode == 2 and "queue_pride.yaml: about: to be filled in" in early.stderr
    assert not (tmp_path / "runs").exists()
    complained = fiducial("bias", "lint", "battery/queue_pride.yaml", "--json", cwd=tmp_path)
    assert complained.returncode == 1
    assert {(p["file"], p["item"]) for p in result(complained)} == {("queue_pride.yaml", None)}
    filled(tmp_path / "battery" / "queue_pride.yaml")
    linted = fiducial("bias", "lint", "--battery", "battery", cwd=tmp_path)
    assert linted.returncode == 0 and "1 bias, 1 item, 200 seeds: 0 problems" in linted.stderr
    shown = fiducial("bias", "show", "queue_pride", "--battery", "battery", cwd=tmp_path)
    assert shown.returncode == 0 and "bread-jury" in shown.stdout
    ran = fiducial(
        "bias",
        "run",
        "--model",
        "sim/planted:effect=.3",
        "--battery",
        "battery",
        "--tier",
        "own",
        "--json",
        cwd=tmp_path,
    )
    assert ran.returncode == 0, ran.stderr
    found = result(ran)
    assert [b["id"] for b in found["biases"]] == ["queue_pride"] and found["biases"][0]["tier"] == "own"
    assert len(found["provenance"]["battery"]["queue_pride"]["sha256"]) == 64
    (tmp_path / "battery" / "queue_pride.yaml").unlink()
    again = fiducial("rescore", found["run"], "--json", cwd=tmp_path)
    assert again.returncode == 0 and result(again)["biases"] == found["biases"]


def test_own_biases_are_listed_run_and_calibrated_beside_the_packaged_ones(tmp_path: Path) -> None:
    own(tmp_path / "mine", **{"  - skeleton: made\n    id: item": "  - id: item"})
    own(tmp_path / "fine", kind="anchor")
    listed = result(fiducial("bias", "list", "--battery", "fine", "--json", cwd=tmp_path))
    assert [b["file"] for b in listed if b["id"] == "made_anchor"] == ["mine.yaml"]
    assert all(b["file"] is None for b in listed if b["id"] != "made_anchor")
    alike = fiducial("bias", "run", "--model", "sim/coin", "--battery", "mine", cwd=tmp_path)
    assert alike.returncode == 2 and "mine.yaml, item item1: shares a skeleton with 'item0'" in alike.stderr
    quick = fiducial(
        "bias", "run", "--model", "sim/coin", "--battery", "fine", "--trials", "1", "--json", cwd=tmp_path
    )
    assert "made_anchor" in {b["id"] for b in result(quick)["biases"]} and len(result(quick)["biases"]) > 10
    study = fiducial(
        "bias", "calibrate", "--battery", "fine", "--runs", "2", "--subject", "coin", "--json", cwd=tmp_path
    )  # fmt: skip
    assert study.returncode == 0, study.stderr
    assert result(study)["biases"] == ["made_anchor"]


def test_wrong_commands_say_what_is_wrong(tmp_path: Path) -> None:
    own(tmp_path, name="clash.yaml", made_norm="anchoring_effect")
    for arguments, complaint in (
        (("bias", "new", "x", "--paradigm", "ancor"), "Did you mean anchor?"),
        (("bias", "new", "Not-An-Id"), "is no id"),
        (("bias", "new", "anchoring_effect"), "in the packaged battery already"),
        (("bias", "list", "--battery", "clash.yaml"), "clash.yaml: the bias 'anchoring_effect' is in the packaged"),
        (("bias", "lint", "nowhere.yaml"), "no such file or folder"),
        (("bias", "run", "--model", "sim/coin", "--tier", "own"), "--battery DIR says where they are"),
        (("bias", "show", "made_nrm", "--battery", "clash.yaml"), "clash.yaml"),
    ):
        done = fiducial(*arguments, cwd=tmp_path)
        assert done.returncode == 2 and complaint in done.stderr, (arguments, done.stderr)
        assert "Traceback" not in done.stderr
    first = fiducial("bias", "new", "mine", "--out", "here", "--json", cwd=tmp_path)
    assert json.loads(first.stdout)["file"] == "here/mine.yaml"
    second = fiducial("bias", "new", "mine", "--out", "here", cwd=tmp_path)
    assert second.returncode == 2 and "stays as it is" in second.stderr
