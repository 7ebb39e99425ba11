"""The command ``xcbench``: its subcommands, and the one place where errors become text.

Nothing heavier than typer is imported here or at the top of a command's module, so that
``xcbench --help`` answers at once.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from xcbench import __version__
from xcbench.cli.bench import bench
from xcbench.cli.compare import compare
from xcbench.cli.config import config_app
from xcbench.cli.data import data_app
from xcbench.cli.env import env
from xcbench.cli.evaluate import evaluate
from xcbench.cli.explain import explain
from xcbench.cli.figure import figure
from xcbench.cli.fit import fit
from xcbench.cli.help import help_
from xcbench.cli.predict import predict
from xcbench.cli.report import report
from xcbench.cli.rerun import rerun
from xcbench.cli.results import results_app
from xcbench.cli.run import run
from xcbench.cli.status import status
from xcbench.cli.table import table
from xcbench.cli.tune import tune
from xcbench.cli.validate import validate
from xcbench.errors import XCBenchError

INTERRUPTED = 130
PIPE_CLOSED = 141  # 128 and the number of SIGPIPE
KEEPING = ("run", "rerun", "tune")  # whose finished jobs stay when they are interrupted


class Commands(TyperGroup):
    """Turns a user's mistake into one message and its exit code; a bug keeps its traceback."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if self.get_command(ctx, args[0]) is None and (full := self._below(ctx, args[0])):
            ctx.fail(f"No such command {args[0]!r}. Did you mean {' or '.join(full)}?")
        return super().resolve_command(ctx, args)

    def _below(self, ctx: Any, name: str) -> list[str]:
        """The commands of groups that have this name, in full."""
        groups = {group: self.get_command(ctx, group) for group in self.list_commands(ctx)}
        return [
            f"`xcbench {group} {name}`"
            for group, command in groups.items()
            if name in getattr(command, "commands", ())
        ]

    def invoke(self, ctx: Any) -> object:
        try:
            return super().invoke(ctx)
        except XCBenchError as error:
            typer.echo(f"error: {error}", err=True)
            raise typer.Exit(error.exit_code) from None
        except OSError as error:
            if error.errno != errno.ENOSPC or error.filename is not None:
                raise
            typer.echo(f"error: the output cannot be written: {error.strerror}", err=True)
            raise typer.Exit(XCBenchError.exit_code) from None
        except KeyboardInterrupt:
            kept = "; what is finished is kept" if ctx.invoked_subcommand in KEEPING else ""
            typer.echo(f"interrupted{kept}", err=True)
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Re-run the extreme-classification benchmarks from one YAML config.",
    epilog="Example: xcbench run configs/quickstart.yaml",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"xcbench {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


app.command(epilog="Example: xcbench run configs/bibtex.yaml --set method.rank=50 --jobs 4")(run)
app.command(epilog="Example: xcbench status configs/bibtex.yaml --data DIR")(status)
app.command(epilog="Example: xcbench tune configs/bibtex.yaml --method rxml --trials 30")(tune)
app.command(epilog="Example: xcbench rerun bibtex/rxml-3d8cc2cd")(rerun)
app.command(epilog="Example: xcbench fit posts.yaml --out model")(fit)
app.command(epilog="Example: xcbench predict model new.csv --text-column text --top 5 --names")(
    predict
)
app.command(epilog="Example: xcbench explain model 12 --top 3 --neighbours 2")(explain)
app.add_typer(results_app, name="results")
app.command(epilog="Example: xcbench table 2 --dataset bibtex --out table2.tex")(table)
app.command(epilog="Example: xcbench compare bibtex/rxml-3d8cc2cd bibtex/sleec-1f0a77b2")(compare)
app.command(epilog="Example: xcbench figure 1 2 time --results results")(figure)
app.command(epilog="Example: xcbench report --out report.html --data DIR")(report)
app.command(
    epilog="Example: xcbench evaluate predictions.tsv tst_X_Y.txt --train trn_X_Y.txt --k 1,3,5"
)(evaluate)
app.command(epilog="Example: xcbench validate configs/*.yaml")(validate)
app.add_typer(config_app, name="config")
app.add_typer(data_app, name="data")
app.command(epilog="Example: xcbench env --json")(env)
app.command("help", epilog="Example: xcbench help metrics")(help_)
app.command(epilog="Example: xcbench bench --only reader")(bench)


def main() -> None:
    """Entry point of the ``xcbench`` script."""
    _open_closed_streams()
    try:
        app()
    except SystemExit as error:
        # So typer and rich end a command whose output nobody reads any more, as in `| head -1`.
        if isinstance(error.__context__, BrokenPipeError):
            _drop_output()
            sys.exit(PIPE_CLOSED)
        raise


def _drop_output() -> None:
    """Send nowhere what is held back and would be written when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _open_closed_streams() -> None:
    """Give a process started with closed streams (``>&-``, some daemons) ones that go nowhere."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r+", encoding="utf-8"))  # noqa: SIM115
