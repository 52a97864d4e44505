"""The command line: `draftgate COMMAND`."""

from pathlib import Path
from typing import Annotated

import typer

from gateway.jsonlines import evaluate_line, plan_line, read_line, run_lines
from gateway.packs import PackShelf

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Stand between an AI customer-service agent and the customer: plan, verify, gate, approve, deliver.",
)
FileArg = Annotated[Path, typer.Argument(help="JSON lines; - reads standard input")]


def _file(path: Path) -> Path:
    if str(path) != "-" and not path.is_file():
        raise typer.BadParameter(f"no such file: {path}")
    return path


@app.command()
def evaluate(file: FileArg) -> None:
    """Evaluate turns with drafts: one JSON answer per line, raw, in the order of the input."""
    raise typer.Exit(run_lines(_file(file), evaluate_line(PackShelf())))


@app.command()
def plan(file: FileArg) -> None:
    """Plan turns: risks, known slots, limits, forbidden moves."""
    raise typer.Exit(run_lines(_file(file), plan_line(PackShelf())))


@app.command()
def read(file: FileArg) -> None:
    """Read the quantities of texts."""
    raise typer.Exit(run_lines(_file(file), read_line))


def main() -> None:
    """Run the command line."""
    app()
