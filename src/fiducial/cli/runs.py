"""Commands on stored runs: list, report, audit, rescore, export. None of them makes a call."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), default=Path("runs"), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def runs(folder: Path, as_json: bool) -> None:
    """The runs in a folder, newest first."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fiducial.cli.options import print_json
    from fiducial.report.inert import inert
    from fiducial.run.listing import list_runs

    found = list_runs(folder)
    if as_json:
        print_json(found)
        return
    if not found:
        click.echo(f"no runs in {folder}/ yet: `fiducial bias run --model local/smollm2` makes one", err=True)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("run", "subject", "replies", "failed", "calls", "cost", "changed"):
        table.add_column(heading, justify="right" if heading in ("replies", "failed", "calls", "cost") else "left")
    for run in found:
        if run.problem:
            table.add_row(run.name, Text(inert(run.problem), style="red"))
        else:
            cost = "-" if run.cost is None else f"{run.cost:.4f}"
            table.add_row(
                run.name,
                Text(inert(run.subject)),
                f"{run.answered}/{run.trials}",
                str(run.failed),
                str(run.calls),
                cost,
                run.changed,
            )
    Console().print(table)


@click.command()
@click.argument("run", nargs=-1, required=True)
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="The file to write. [default: report.html]"
)
@click.option("--open", "open_it", is_flag=True, help="Open it in the browser.")
@click.option("--no-text", is_flag=True, help="Leave prompts and replies out, for sharing.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON instead.")
def report(run: tuple[str, ...], out: Path | None, open_it: bool, no_text: bool, as_json: bool) -> None:
    """One self-contained HTML file about a run, or about several side by side."""
    from fiducial.cli.options import print_json
    from fiducial.report.write import write_report
    from fiducial.run.store import find_run
    from fiducial.study.runs import look

    paths = [find_run(name) for name in run]
    if as_json:
        results = [look(path) for path in paths]
        print_json(results[0] if len(results) == 1 else results)
        return
    target = out or Path("report.html")
    write_report(paths, target, texts=not no_text)
    click.echo(str(target))
    if open_it:
        import webbrowser

        webbrowser.open(target.resolve().as_uri())


@click.command()
@click.argument("run")
@click.option("--check", "codes", multiple=True, metavar="CODE", help="Exit with 1 unless this check passes.")
@click.option("--strict", is_flag=True, help="Exit with 1 if any check fails.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def audit(run: str, codes: tuple[str, ...], strict: bool, as_json: bool) -> None:
    """The checks on a run's own validity."""
    from rich.console import Console

    from fiducial.cli.options import print_json
    from fiducial.report.terminal import show_audit
    from fiducial.run.store import find_run
    from fiducial.study.runs import look

    checks = look(find_run(run)).audit
    if as_json:
        print_json(checks)
    else:
        show_audit(checks, Console())
    failed = [c for c in checks if (c.code in codes and c.level != "pass") or (strict and c.level == "fail")]
    if failed:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("run")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def rescore(run: str, as_json: bool) -> None:
    """Read, score and estimate again from the stored replies, without a call, and say what that changed."""
    from fiducial.run.store import find_run
    from fiducial.study.runs import instrument

    path = find_run(run)
    if instrument(path) == "review":
        _rescore_review(path, as_json)
    else:
        _rescore_bias(path, as_json)


def _rescore_bias(path: Path, as_json: bool) -> None:
    from fiducial.bias.run import rescore as again
    from fiducial.cli.options import print_json

    scored = again(path)
    if as_json:
        import msgspec

        print_json({**msgspec.to_builtins(scored.result), "changes": scored.changes})
        return
    from rich.console import Console

    from fiducial.report.changes import show_changes
    from fiducial.report.terminal import show

    console = Console()
    show(scored.result, console)
    show_changes(scored.changes, console)


def _rescore_review(path: Path, as_json: bool) -> None:
    from fiducial.cli.options import print_json
    from fiducial.review.run import rescore as again

    result = again(path)
    if as_json:
        print_json(result)
        return
    from rich.console import Console

    from fiducial.report.review_terminal import show_review

    show_review(result, Console())


@click.command()
@click.argument("run")
@click.option(
    "--format", "kind", type=click.Choice(["jsonl", "csv", "parquet"]), default="jsonl", show_default=True
)
@click.option(
    "--what",
    metavar="TABLE",
    default="replies",
    show_default=True,
    help="replies, trials, readings, verdicts, effects, items, protocols, findings, reviewers, rates or audit "
    "(docs/data.md).",
)
@click.option(
    "--to",
    "program",
    type=click.Choice(["inspect"]),
    help="Write a log for another program instead: one that `inspect view` opens. [default: RUN.eval here]",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file. [default: RUN.FORMAT here, RUN-TABLE.FORMAT for other tables than replies]",
)
@click.option("--no-text", is_flag=True, help="Leave prompts, replies and findings out, for sharing.")
def export(run: str, kind: str, what: str, program: str | None, out: Path | None, no_text: bool) -> None:
    """A table of a run as JSON Lines, CSV or Parquet: every reply, unless --what or --to says otherwise."""
    from fiducial.frames import export_table
    from fiducial.run.store import find_run

    path = find_run(run)
    if program is not None:
        from fiducial.model.bridge import needing_inspect

        with needing_inspect("--to inspect"):
            from fiducial.inspect.write import export_log
        target = out or Path(f"{path.stem}.eval")
        count = export_log(path, target, texts=not no_text)
        click.echo(f"{target}: {count} samples")
        return
    stem = path.stem if what == "replies" else f"{path.stem}-{what}"
    target = out or Path(f"{stem}.{kind}")
    count = export_table(path, what, target, kind, texts=not no_text)
    click.echo(f"{target}: {count} rows")
