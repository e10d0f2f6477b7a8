"""The command line. Commands parse, call and print; what they need is imported when they run."""

from __future__ import annotations

import sys
import traceback

import click

from fiducial import __version__
from fiducial.cli.bias import bias
from fiducial.cli.compare import compare
from fiducial.cli.imports import import_file
from fiducial.cli.judge import judge
from fiducial.cli.models import models
from fiducial.cli.review import review
from fiducial.cli.runs import audit, export, report, rescore, runs
from fiducial.cli.serve import serve
from fiducial.errors import FiducialError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="fiducial")
@click.option(
    "--debug", is_flag=True, expose_value=False, help="Show the traceback of an error, instead of one sentence."
)
def fiducial() -> None:
    """Measure the judgment of language models, and know how far each measurement can be trusted.

    \b
    Exit codes: 0 done; 1 done, and a gate or audit check that was asked for failed; 2 the command or a file
    given to it is wrong; 3 incomplete, and the message gives the command that continues it; 4 a fault of the
    program, or a damaged run file.
    """


for command in (models, bias, review, judge, runs, report, audit, rescore, compare, export, import_file, serve):
    fiducial.add_command(command)


def main() -> None:
    """Run the command line. Every error is one sentence; `--debug` shows the traceback as well."""
    try:
        code = fiducial.main(standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        code = _complain("interrupted", 3)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except FiducialError as error:
        code = _complain(str(error), error.exit_code)
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        sys.stderr.close()
        code = 0
    except OSError as error:  # a folder that is not there, no permission, a full disk
        code = _complain(f"{error.filename or 'the system'}: {error.strerror or error}", 2)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"[:300]
        advice = "Run it again with --debug before the name of the command, and report what that prints."
        code = _complain(f"this is a fault of Fiducial, not of your command ({said}). {advice}", 4)
    sys.exit(code if isinstance(code, int) else 0)


def _complain(message: str, code: int) -> int:
    from fiducial.report.inert import legible

    if sys.argv[1:2] == ["--debug"]:
        click.echo(legible(traceback.format_exc()), err=True)
    click.echo(f"fiducial: {legible(message)}", err=True)
    return code


if __name__ == "__main__":
    main()
