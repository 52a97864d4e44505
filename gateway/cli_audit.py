"""Commands over stored replies: audit them, replay them under other rules, and write them out of the database."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from gateway.audit.drift import drift
from gateway.audit.errors import AuditError
from gateway.audit.export import Wanted, export
from gateway.audit.figures import figures
from gateway.audit.judging import Rules
from gateway.audit.page import PAGE, write_page
from gateway.audit.pool import Engine, local
from gateway.audit.progress import progress
from gateway.audit.run import BAD, MANIFEST, SHARD_ROWS, carry_out, prepare
from gateway.audit.terminal import list_changes, show
from gateway.cli_admin import SettingsOption, open_service
from gateway.settings import Settings, SettingsError, load_settings
from planner.pack import PackError

EXPORTED, CHANGES = "turns.jsonl", "changes.jsonl"
MOST_BAD = 5
FilesArg = Annotated[
    list[str] | None, typer.Argument(help="JSON lines or Parquet of stored replies: files, folders, patterns")
]
DatabaseOption = Annotated[bool, typer.Option("--from-database", help="the replies that this gateway has stored")]
PacksOption = Annotated[Path | None, typer.Option("--packs-dir", help="folder with packs (name/pack.yaml)")]
WorkersOption = Annotated[
    int, typer.Option("--workers", min=0, max=512, help="processes; 0: one for each core that we may use")
]
AccountOption = Annotated[str | None, typer.Option("--account", help="only this account's replies")]
SinceOption = Annotated[datetime | None, typer.Option("--since", help="only replies since this day (UTC)")]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("audit")(audit)
    app.command("replay")(replay)
    app.command("export-turns")(export_turns)


def audit(  # noqa: PLR0917  # typer gives options by name
    logs: FilesArg = None,
    out: Annotated[Path, typer.Option("--out", help="folder of the results; the same one goes on after a stop")] = Path(
        "audit"
    ),
    engine: Annotated[str, typer.Option("--engine", help="local or ray")] = "local",
    workers: WorkersOption = 0,
    packs_dir: PacksOption = None,
    against: Annotated[
        Path | None, typer.Option("--against", help="folder of an earlier audit to compare with")
    ] = None,
    from_database: DatabaseOption = False,
    shard_rows: Annotated[int, typer.Option("--shard-rows", min=1, max=100_000, help="replies per piece")] = SHARD_ROWS,
    settings: SettingsOption = None,
) -> None:
    """Judge stored replies by today's rules: what each policy would automate, how often it errs, where it is weak."""
    with _told():
        known = load_settings(settings)
        rules = _rules(known, packs_dir)
        given = [*(logs or []), *([_from_database(out, settings)] if from_database else [])]
        bad = _run(given, out, rules, _engine(engine), workers, shard_rows)
        found, changed = figures(out), drift(out, against, out / CHANGES)
        write_page(out, found, changed)
    show(found, changed)
    typer.echo(f"{out / PAGE}", err=True)
    raise typer.Exit(int(bool(bad)))


def replay(  # noqa: PLR0917  # typer gives options by name
    logs: FilesArg = None,
    packs_dir: PacksOption = None,
    against: Annotated[
        Path | None, typer.Option("--against", help="what to compare with: a folder of packs, or of an earlier audit")
    ] = None,
    fail_on_change: Annotated[
        bool, typer.Option("--fail-on-change", help="exit status 1 if a verdict changed")
    ] = False,
    from_database: DatabaseOption = False,
    workers: WorkersOption = 0,
    settings: SettingsOption = None,
) -> None:
    """List every verdict that other rules would change: the packs of --packs-dir beside those that run now.

    Without --packs-dir and --against, today's rules beside the verdicts that stand in the rows.
    """
    with _told(), _folder() as work:
        known = load_settings(settings)
        given = [*(logs or []), *([_from_database(work, settings)] if from_database else [])]
        bad = _run(given, work / "now", _rules(known, packs_dir), local, workers, SHARD_ROWS)
        was = _other_side(given, work, known, packs_dir, against, workers)
        changed = drift(work / "now", was, work / CHANGES)
        if changed is None:
            raise AuditError("the rows hold no earlier verdict (`passed`): give --packs-dir or --against")
        list_changes(changed, work / CHANGES)
    raise typer.Exit(int(bool(bad) or (fail_on_change and changed.changed > 0)))


def export_turns(
    file: Annotated[Path, typer.Argument(help="JSON lines to write")],
    account: AccountOption = None,
    since: SinceOption = None,
    settings: SettingsOption = None,
) -> None:
    """Write the replies that this gateway has stored, each with its turn as it was judged, for audit and replay."""
    moment = since.replace(tzinfo=UTC) if since else None
    with open_service(settings) as service:
        count = export(service.look, Wanted(account, moment), file)
    typer.echo(f"{file}: {count} replies", err=True)


@contextmanager
def _told() -> Iterator[None]:
    """End with one line where the input or the rules cannot be used."""
    try:
        yield
    except (AuditError, PackError, SettingsError) as error:
        typer.echo(f"draftgate: {error}", err=True)
        raise typer.Exit(2) from error
    except KeyboardInterrupt:
        typer.echo("draftgate: stopped; the same command goes on from here", err=True)
        raise typer.Exit(130) from None


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="draftgate-replay-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _rules(known: Settings, packs_dir: Path | None) -> Rules:
    folder = packs_dir or known.packs_dir
    if folder is not None and not folder.is_dir():
        raise AuditError(f"--packs-dir {folder}: no such folder")
    return Rules(str(folder) if folder else None, known.pass_score)


def _engine(name: str) -> Engine:
    if name == "local":
        return local
    if name == "ray":
        from gateway.audit.on_ray import on_ray

        return on_ray
    raise AuditError(f"--engine {name}: must be local or ray")


def _from_database(folder: Path, settings: Path | None) -> str:
    """Write the stored replies into the folder once; an audit that goes on reads the same ones again."""
    file = folder / EXPORTED
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open_service(settings) as service:
            export(service.look, Wanted(), file)
    return str(file)


def _run(given: Sequence[str], out: Path, rules: Rules, engine: Engine, workers: int, shard_rows: int) -> int:
    """Judge everything into a folder; gives how many rows could not be read, and names the first of them."""
    if not given:
        raise AuditError("nothing to judge: name files of stored replies, or give --from-database")
    planned = prepare(given, out, rules, shard_rows)
    console = Console(stderr=True)
    with progress(console, out.name, planned.rows) as told:
        done = carry_out(planned, engine, workers or os.cpu_count() or 1, told)
    if done.bad:
        typer.echo(f"{done.bad} rows could not be read (all are in {out / BAD}), the first:", err=True)
        with (out / BAD).open(encoding="utf-8") as lines:
            typer.echo("".join(islice(lines, MOST_BAD)), err=True, nl=False)
    return done.bad


def _other_side(
    given: Sequence[str], work: Path, known: Settings, packs_dir: Path | None, against: Path | None, workers: int
) -> Path | None:
    """Give the audit to compare with: an earlier one, or one made now by the other packs; None: what the rows say."""
    if against is not None and (against / MANIFEST).is_file():
        return against
    if against is None and packs_dir is None:
        return None
    if against is not None and not against.is_dir():
        raise AuditError(f"--against {against}: no such folder")
    rules = replace(_rules(known, None), packs_dir=str(against)) if against else _rules(known, None)
    _run(given, work / "was", rules, local, workers, SHARD_ROWS)
    return work / "was"
