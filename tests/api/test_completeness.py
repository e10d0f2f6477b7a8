"""For every command there is a function, and for every option a parameter; what has none is listed here, with the reason."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click
import pytest

from fiducial import api
from fiducial.cli.main import fiducial
from fiducial.run.calls import Calls

NO_FUNCTION = {
    "serve": "it serves pages until Ctrl-C ends it, for people; fiducial.web stands above the API",
}
NAMES = {
    "import": "import_log",  # import is a word of the language
    "models try": "ask",
}
"""Commands whose function is not called as they are."""

PARAMETERS = {
    "--type": "review_type",
    "--as": "target",
    "--no-text": "texts",
    "--where": "places",
}
"""Options whose parameter is called otherwise in every function; many of a kind are in the plural everywhere."""

RENAMED = {
    ("bias generate", "--out"): "target",
    ("bias generate", "--run"): "out",
    ("export", "--out"): "target",
    ("import", "--as"): "kind",
    ("report", "--out"): "target",
    ("bias items", "RUN"): "several",
    ("bias read", "FILE"): "response",
    ("bias score", "FILE"): "replies",
    ("judge correct", "FILE"): "verdicts",
    ("report", "RUN"): "several",
    ("review parse", "FILE"): "text",
}
"""The same for one command."""

NO_PARAMETER = {
    ("audit", "--check"): "it sets the exit code; a program looks at the checks",
    ("audit", "--strict"): "it sets the exit code; a program looks at the checks",
    ("bias read", "--jsonl"): "a program calls it for every reply",
    ("bias run", "--report"): "run.report(FILE)",
    ("compare", "--fail-on-higher"): "it sets the exit code; the result has .higher()",
    ("compare", "--fail-on-lower"): "it sets the exit code; the result has .lower()",
    ("judge attack", "--list"): "api.judge_injections()",
    ("judge attack", "--max-success"): "it sets the exit code; a program compares .defences[0].success.share.high",
    ("judge label", "--kappa"): "api.judge_agreement(RUN)",
    ("judge label", "--list"): "api.judge_labelled(RUN)",
    ("report", "--open"): "it opens a browser",
    ("review plant", "--list"): "api.review_operators()",
    ("review rejudge", "--report"): "run.report(FILE)",
    ("review run", "--junit"): "run.junit(FILE)",
    ("review run", "--report"): "run.report(FILE)",
}
EVERYWHERE = {"--json": "functions return what it prints", "--help": "docstrings"}


def commands(group: click.Group = fiducial, path: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        whole = f"{path} {name}".strip()
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield whole, command
        if isinstance(command, click.Group):
            yield from commands(command, whole)


COMMANDS = dict(commands())


def function_of(name: str) -> str:
    return NAMES.get(name, name.replace(" ", "_"))


def option_of(parameter: click.Parameter) -> str:
    """As it is typed: the long form of an option, an argument in capitals."""
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return (parameter.name or "").upper().removesuffix("S" if parameter.nargs == -1 else "")


def possible(command: str, option: str) -> set[str]:
    plain = option.lstrip("-").replace("-", "_").lower()
    own = RENAMED.get((command, option)) or PARAMETERS.get(option)
    return {own} if own else {plain, f"{plain}s", f"{plain}es"}


def test_the_tree_of_commands_is_seen_whole() -> None:
    assert {"bias run", "review confirm", "judge label", "models", "models try", "export"} <= set(COMMANDS)
    assert len(COMMANDS) > 30


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_function_with_its_options(name: str) -> None:
    if name in NO_FUNCTION:
        assert not hasattr(api, function_of(name)), "it has a function: take it off the list"
        return
    assert function_of(name) in api.__all__, f"fiducial {name} has no function in fiducial.api"
    function = getattr(api, function_of(name))
    assert inspect.getdoc(function), f"api.{function.__name__} has no docstring"
    taken = set(inspect.signature(function).parameters)
    if "calls" in taken:
        taken |= set(Calls.__struct_fields__)
    lacking = [
        option
        for option in map(option_of, COMMANDS[name].params)
        if option not in EVERYWHERE and (name, option) not in NO_PARAMETER and not possible(name, option) & taken
    ]
    assert lacking == [], f"api.{function.__name__} lacks them"


def test_the_lists_of_exceptions_are_of_things_that_exist() -> None:
    assert {*NO_FUNCTION, *NAMES} <= set(COMMANDS)
    typed = {(name, option_of(parameter)) for name, command in COMMANDS.items() for parameter in command.params}
    assert set(RENAMED) | set(NO_PARAMETER) <= typed
    assert set(PARAMETERS) <= {option for _, option in typed}


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in NO_FUNCTION])
def test_defaults_are_those_of_the_command(name: str) -> None:
    """Where both have a default that is a number, a word or a switch, it is the same one."""
    taken = inspect.signature(getattr(api, function_of(name))).parameters
    for parameter in COMMANDS[name].params:
        for ours in possible(name, option_of(parameter)) & set(taken):
            theirs, own = parameter.to_info_dict()["default"], taken[ours].default
            if parameter.is_eager or isinstance(own, bool) or None in (theirs, own) or parameter.nargs == -1:
                continue
            if own is inspect.Parameter.empty or not isinstance(own, int | float | str):
                continue
            assert str(theirs) == str(own), f"{option_of(parameter)}: {theirs} there, {own} here"


def test_every_function_says_what_it_does_and_is_typed() -> None:
    for name in api.__all__:
        found = getattr(api, name)
        if inspect.isfunction(found):
            assert inspect.getdoc(found), name
            signature = inspect.signature(found)
            assert signature.return_annotation is not inspect.Signature.empty, name
            assert all(p.annotation is not inspect.Parameter.empty for p in signature.parameters.values()), name
