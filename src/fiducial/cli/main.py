"""The command line. Commands parse, call and print; what they need is imported when they run."""

from __future__ import annotations

import sys

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
def fiducial() -> None:
    """Measure the judgment of language models, and know how far each measurement can be trusted.

    \b
    Exit codes: 0 done; 1 done, and a check that was asked for failed; 2 the command or a file given to it
    is wrong; 3 the run is incomplete, and the message gives the command that continues it.
    """


for command in (models, bias, review, judge, runs, report, audit, rescore, compare, export, import_file, serve):
    fiducial.add_command(command)


def main() -> None:
    """Run the command line; every error a person can mend is one sentence, never a traceback."""
    try:
        code = fiducial.main(standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.exceptions.Abort:
        code = _complain("interrupted", 3)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except FiducialError as error:
        code = _complain(str(error), error.exit_code)
    except KeyboardInterrupt:
        code = _complain("interrupted", 3)
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        sys.stderr.close()
        code = 0
    except OSError as error:  # a folder that is not there, no permission, a full disk
        code = _complain(f"{error.filename or 'the system'}: {error.strerror or error}", 2)
    sys.exit(code if isinstance(code, int) else 0)


def _complain(message: str, code: int) -> int:
    from fiducial.report.inert import legible

    click.echo(f"fiducial: {legible(message)}", err=True)
    return code


if __name__ == "__main__":
    main()
