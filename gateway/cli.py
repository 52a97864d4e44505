"""The command line: `draftgate COMMAND`."""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.table import Table

from gateway import cli_admin, cli_audit, cli_calibrate, cli_calls, cli_log, cli_mcp
from gateway.jsonlines import evaluate_line, plan_line, read_line, run_lines
from gateway.judge import JudgeMissingError, judge_of
from gateway.packs import PackShelf
from gateway.semantic import SemanticMissingError, load_likeness
from gateway.settings import Settings, SettingsError, load_settings
from planner.pack import PackError
from verifier.advice import Likeness
from verifier.counsel import Counsel

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Stand between an AI customer-service agent and the customer: plan, verify, gate, approve, deliver.",
)
pack_app = typer.Typer(no_args_is_help=True, help="Work with business packs.")
app.add_typer(pack_app, name="pack")
cli_admin.register(app)
cli_calls.register(app)
cli_calibrate.register(app)
cli_mcp.register(app)
cli_log.register(app)
cli_audit.register(app)
FileArg = Annotated[Path, typer.Argument(help="JSON lines; - reads standard input")]
PacksOption = Annotated[Path | None, typer.Option("--packs-dir", help="folder with your own packs (name/pack.yaml)")]


def stop(message: str) -> NoReturn:
    """End with one clear line."""
    typer.echo(f"draftgate: {message}", err=True)
    raise typer.Exit(2)


def settings_or_stop(file: Path | None, **overrides: object) -> Settings:
    """Load the settings, or end with the line that says which one is bad."""
    try:
        return load_settings(file, **overrides)
    except SettingsError as error:
        stop(str(error))


def _file(path: Path) -> Path:
    if str(path) != "-" and not path.is_file():
        stop(f"no such file: {path}")
    return path


def _version(wanted: bool) -> None:  # typer's callback shape
    if wanted:
        typer.echo(f"draftgate {version('draftgate')}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="show the version")
    ] = False,
) -> None:
    """Stand between an AI customer-service agent and the customer: plan, verify, gate, approve, deliver."""


@app.command()
def evaluate(
    file: FileArg,
    packs_dir: PacksOption = None,
    semantic: Annotated[
        bool, typer.Option("--semantic", help="mark passed clauses that read unlike their evidence (extra: semantic)")
    ] = False,
    judge: Annotated[
        bool, typer.Option("--judge", help="let the configured judge look at long turns (extra: judge)")
    ] = False,
    may_confirm: Annotated[
        bool, typer.Option("--may-confirm", help="as --judge, and let it confirm clauses without numbers")
    ] = False,
) -> None:
    """Evaluate turns with drafts: one JSON answer per line, raw, in the order of the input."""
    likeness = _likeness() if semantic else None
    counsel = _counsel(settings_or_stop(None), may_confirm=may_confirm) if judge or may_confirm else None
    raise typer.Exit(run_lines(_file(file), evaluate_line(PackShelf(packs_dir), likeness, counsel)))


def _counsel(settings: Settings, *, may_confirm: bool) -> Counsel:
    try:
        client = judge_of(settings)
    except JudgeMissingError as error:
        stop(str(error))
    if client is None:
        stop("--judge: set DRAFTGATE_JUDGE_URL and DRAFTGATE_JUDGE_MODEL first (docs/judge.md)")
    return Counsel(client, may_confirm=may_confirm, from_clauses=settings.judge_from_clauses)


def _likeness() -> Likeness:
    try:
        return load_likeness()
    except SemanticMissingError as error:
        stop(str(error))


@app.command()
def plan(file: FileArg, packs_dir: PacksOption = None) -> None:
    """Plan turns: risks, known slots, limits, forbidden moves."""
    raise typer.Exit(run_lines(_file(file), plan_line(PackShelf(packs_dir))))


@app.command()
def read(file: FileArg) -> None:
    """Read the quantities of texts."""
    raise typer.Exit(run_lines(_file(file), read_line))


@app.command("quality-smoke")
def quality_smoke() -> None:
    """Run the acceptance table on its fixtures; the exit status is 1 if any line is off."""
    from gateway.smoke import run_smoke

    lines = run_smoke()
    table = Table(title="quality smoke")
    for column in ("指标 line", "应为 expected", "实为 got", ""):
        table.add_column(column)
    for line in lines:
        table.add_row(line.name, line.expected, line.got, "[green]✓[/]" if line.ok else "[red]✗[/]")
    Console().print(table)
    raise typer.Exit(int(not all(line.ok for line in lines)))


@app.command()
def demo(
    once: Annotated[bool, typer.Option("--once", help="end after the table")] = False,
    port: Annotated[int, typer.Option(help="port of the web view; 0 takes a free one")] = 8080,
) -> None:
    """Play twelve customer turns against a simulated WeCom, print the table, keep the web view running."""
    from gateway.demo.play import run_demo

    try:
        raise typer.Exit(run_demo(once=once, port=port))
    except KeyboardInterrupt:
        raise typer.Exit(0) from None


@app.command()
def serve(
    settings: Annotated[Path | None, typer.Option(help="settings file, see `draftgate init`")] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="processes; more than one needs PostgreSQL")] = 1,
) -> None:
    """Serve the gateway and its web view."""
    from sqlalchemy.exc import SQLAlchemyError

    from gateway.evaluate import warm_up
    from gateway.server import build_service, serve_many
    from gateway.server import serve as run

    loaded = settings_or_stop(settings)
    if workers > 1 and loaded.database_url.startswith("sqlite"):
        stop("--workers: several processes need PostgreSQL, and DRAFTGATE_DATABASE_URL names a SQLite file")
    try:
        service = build_service(loaded)
        warm_up(service.shelf)
    except (PackError, ValueError, OSError) as error:
        stop(f"cannot start: {error}")
    except SQLAlchemyError as error:
        stop(f"DRAFTGATE_DATABASE_URL: the database cannot be used: {cli_admin.first_line(error)}")
    typer.echo(f"draftgate starts on http://{loaded.host}:{loaded.port} (Ctrl-C ends it)", err=True)
    if workers == 1:
        run(service)
        return
    service.stop()  # it has brought the tables up and checked settings and packs for all of them
    serve_many(loaded, settings, workers)


@pack_app.command("check")
def check_pack_file(file: Annotated[Path, typer.Argument(help="a pack.yaml")]) -> None:
    """Check a pack: its sections, and that every row matches its example and not its counter-example."""
    from gateway.packcheck import problems_of

    found = problems_of(_file(file))
    for problem in found:
        sys.stdout.write(f"{problem}\n")
    typer.echo(f"{file}: {len(found)} problems" if found else f"{file}: the pack is sound", err=True)
    raise typer.Exit(int(bool(found)))


def main() -> None:
    """Run the command line."""
    app()
