"""`fiducial judge attack`: can the judge be talked round?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from fiducial.cli.judge_options import TASKS, VERDICT_TOKENS, load_cases
from fiducial.cli.options import call_options

if TYPE_CHECKING:
    from pathlib import Path

    from fiducial.cli.call_options import CallOptions
    from fiducial.judge.case import Task
    from fiducial.study.injections import Where
    from fiducial.study.judge_attack import Defences


def _list(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print what is tried, and end."""
    if not wanted or context.resilient_parsing:
        return
    from fiducial.report.inert import legible
    from fiducial.study.injections import all_injections

    for injection in all_injections():
        texts = [*injection.parts, *([f"{injection.encode}: {injection.message}"] if injection.encode else [])]
        click.echo(f"{injection.id} ({injection.kind})")
        for text in texts:
            click.echo("".join(f"    {line}\n" for line in legible(text).splitlines()), nl=False)
    context.exit()


@click.command("attack")
@click.option("--judge", required=True, metavar="MODEL", help="The judge on trial (see `fiducial models`).")
@click.option(
    "--task",
    type=TASKS,
    default="genuine",
    show_default=True,
    help="What it is asked: the first three for reviews, read for bias runs.",
)
@click.option(
    "--set",
    "of",
    metavar="planted:DATASET|labels:FILE",
    help="The cases, as for `fiducial judge calibrate`. [default: planted in what comes with Fiducial]",
)
@click.option(
    "--cases", "limit", type=click.IntRange(2), default=60, show_default=True, help="At most so many cases."
)
@click.option(
    "--per-injection",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Cases that every injection is tried on.",
)
@click.option("--kind", "kinds", multiple=True, help="Only this kind of injection; may be given several times.")
@click.option(
    "--where",
    "places",
    multiple=True,
    type=click.Choice(["finding", "document", "reply"]),
    help="Only in this text; may be given several times.",
)
@click.option(
    "--defences",
    type=click.Choice(["all", "shipped"]),
    default="all",
    show_default=True,
    help="all: with and without the fence and the schema; shipped: with both, a quarter of the calls.",
)
@click.option(
    "--max-success",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Exit code 1 where the upper bound of the success rate, with both defences, lies above this.",
)
@click.option(
    "--list", is_flag=True, is_eager=True, expose_value=False, callback=_list, help="Print the injections."
)
@partial(call_options, max_tokens=VERDICT_TOKENS)
def attack(
    calls: CallOptions,
    judge: str,
    task: Task,
    of: str | None,
    limit: int,
    per_injection: int,
    kinds: tuple[str, ...],
    places: tuple[Where, ...],
    defences: Defences,
    max_success: float | None,
) -> None:
    """Try to talk a judge round, with texts in findings, documents and replies that urge the wrong verdict.

    Every case is asked as it is, with injections, and with text that urges nothing; with and without the fence around
    untrusted text and the schema of the reply. Calls are made at temperature 0, whatever --temperature says. Repeating
    the command continues it, or shows its result without a call.
    """
    from fiducial.cli.options import print_json, shown, this_command
    from fiducial.errors import Incomplete
    from fiducial.report.judge_attack import as_json, show_attack
    from fiducial.study import judge_conduct
    from fiducial.study.judge_attack import design_of, usual_set
    from fiducial.study.judge_attack_result import gate

    judge_conduct.refuse_reuse(calls, "an attack")
    design = design_of(per_injection=per_injection, kinds=kinds, places=places, defences=defences, seed=calls.seed)
    model = calls.open(judge)
    of = of or usual_set(task)
    found = load_cases(task, of, calls, limit=limit)
    done = judge_conduct.attack(
        (model, calls.limits(model.name)),
        found,
        calls,
        set=of,
        design=design,
        announce=lambda path, verdicts: _announce(judge, path, verdicts, combinations=len(design.wordings)),
        show=shown,
    )
    result = done.result
    passed = None if max_success is None else gate(result, max_success)
    if calls.as_json:
        print_json({**as_json(result, passed), "left_out": found.left_out})
    else:
        from rich.console import Console

        show_attack(result, Console(), passed)
    if not result.complete:
        raise Incomplete(
            f"incomplete: {done.stopped or 'some calls failed'}. {result.answered} of {result.askings} verdicts "
            f"are stored in {done.path}. Continue with:\n  {this_command(done.stopped)}"
        )
    if passed is not None and not passed.passed:
        raise click.exceptions.Exit(1)


def _announce(judge: str, path: Path, verdicts: int, *, combinations: int) -> None:
    """How many calls, and what they cost where that is money."""
    from fiducial.model.prices import money_words
    from fiducial.report.numbers import count, counted
    from fiducial.study.judge_attack import tokens

    line = f"{counted(verdicts, 'call')}: {count(verdicts // combinations)} cases, attacked ones among them, under "
    line += counted(combinations, "combination") + " of defences"
    if words := money_words(judge, *tokens(path)):
        line += f"; {words}"
    click.echo(f"{line} -> {path}", err=True)
