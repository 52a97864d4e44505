"""`draftgate calibrate`: how sure is sure enough to send without a person, by labelled turns."""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from gateway.calibration import stored
from gateway.calibration.choose import Aim, Calibration, High, Of, Why, calibrate
from gateway.calibration.labelled import BadLinesError, look, read_labelled
from gateway.calibration.report import Provenance, render, told
from gateway.calibration.seen import Fate, Seen
from gateway.calibration.stored import Stored
from gateway.cli_admin import SettingsOption, run_job
from gateway.evaluate import warm_up
from gateway.gate import BANDS
from gateway.jsonio import InputError
from gateway.packs import PackShelf
from gateway.settings import Settings, SettingsError, load_settings
from gateway.tx import Tx
from planner.pack import PackError

ACTOR = "command line"
SHOWN_PROBLEMS = 20
SAID = {
    Why.TOO_LITTLE: "no high threshold: too few labels. Hold everything until then, and {more}",
    Why.OUT_OF_REACH: "no high threshold: none reaches the aim. Hold everything, or {more}",
    Why.NOT_CONFIRMED: "no high threshold: what measures does not confirm it. Hold everything, or label more",
}


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("calibrate")(calibrate_file)


def calibrate_file(  # noqa: PLR0913  # one option each
    labelled: Annotated[Path | None, typer.Argument(help="JSON lines: {turn, right, scenario?}")] = None,
    *,
    report: Annotated[Path | None, typer.Option(help="where to write the report (HTML)")] = None,
    measure: Annotated[
        Path | None, typer.Option(help="measure on this file instead of one half; all of the first then chooses")
    ] = None,
    max_wrong: Annotated[float, typer.Option(min=0.0001, max=0.5, help="most wrong answers, as a share")] = 0.02,
    of: Annotated[Of, typer.Option(help="of what that share is: answers released, or all wrong answers")] = Of.RELEASED,
    apply: Annotated[bool, typer.Option("--apply", help="let the thresholds hold in this gateway")] = False,
    send_from: Annotated[
        str | None, typer.Option(help="with --apply: least band that is sent without a person (low, middle or high)")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="show the calibration that holds")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="go back to the packs' own thresholds")] = False,
    settings: SettingsOption = None,
) -> None:
    """Choose the confidence thresholds by labelled turns, and report what they would let through."""
    if (labelled is not None) + show + forget != 1:
        _stop("give a file of labelled turns, or --show, or --forget: one of them")
    if labelled is None:
        raise typer.Exit(_forgotten(settings) if forget else _shown(settings))
    if send_from is not None and (not apply or send_from not in BANDS):
        _stop(f"--send-from goes with --apply and is one of {', '.join(BANDS)}")
    files = [file for file in (labelled, measure) if file is not None]
    for file in files:
        if not file.is_file():
            _stop(f"no such file: {file}")
    if report is not None and not report.absolute().parent.is_dir():
        _stop(f"no such folder: {report.absolute().parent}")
    loaded = _settings(settings)
    shelf = _sound(PackShelf(loaded.packs_dir))
    seen = [_look(file, shelf, loaded.pass_score) for file in files]
    found = calibrate(seen[0], Aim(max_wrong, of), seen[1] if measure else ())
    origin = _origin(files, found.drafts)
    if report is not None:
        report.write_text(render(found, origin), "utf-8")
    _print(found)
    if apply:
        _apply(found, origin, send_from, settings)
    raise typer.Exit(int(found.high.value is None))


def _settings(file: Path | None) -> Settings:
    try:
        return load_settings(file)
    except SettingsError as error:
        _stop(str(error))


def _sound(shelf: PackShelf) -> PackShelf:
    """Give the shelf back if its packs can judge: with a broken one every turn would count as not judged."""
    try:
        warm_up(shelf)
    except PackError as error:
        _stop(str(error))
    return shelf


def _look(file: Path, shelf: PackShelf, pass_score: int) -> list[Seen]:
    console = Console(stderr=True)
    try:
        with file.open("rb") as lines:
            rows = read_labelled(lines)
        judged = look(rows, shelf, pass_score)
        shown = track(judged, "judging", len(rows), console=console, transient=True, disable=not console.is_terminal)
        return list(shown)
    except BadLinesError as error:
        for problem in error.problems[:SHOWN_PROBLEMS]:
            typer.echo(f"{file.name}: {problem}", err=True)
        _stop(f"{file.name}: {len(error.problems)} lines cannot be taken; nothing was calibrated")
    except InputError as error:
        _stop(f"{file.name}: {error}; nothing was calibrated")


def _origin(files: Sequence[Path], seen: Iterable[Seen]) -> Provenance:
    rules = {row.pack: row.rules_version for row in seen if row.fate is not Fate.UNJUDGED}
    return Provenance(
        " + ".join(file.name for file in files),
        " ".join(hashlib.sha256(file.read_bytes()).hexdigest() for file in files),
        datetime.now(UTC),
        version("draftgate"),
        dict(sorted(rules.items())),
    )


def _print(found: Calibration) -> None:
    table = Table(title="calibration", title_justify="left")
    for column in ("", "threshold", "released", "wrong among released", "released among wrong", "right held"):
        table.add_column(column)
    high = found.high
    points = [("all that auto would send", found.at(0.0)), ("where it was chosen", high.learned)]
    points += [("where it was measured", high.measured)]
    if high.value is not None:
        points += [("over all of them", found.at(high.value))]
    for name, point in points:
        if point is not None:
            shares = (point.released, point.wrong_of_released, point.wrong_of_wrong, point.right_held_back)
            table.add_row(name, f"{point.threshold:g}", *(told(share) for share in shares))
    console = Console()
    console.print(table)
    unjudged = sum(row.fate is Fate.UNJUDGED for row in found.drafts)
    told_of = f", {unjudged} of them could not be judged" if unjudged else ""
    typer.echo(f"{found.rows} rows, {len(found.drafts)} different drafts{told_of}")
    typer.echo(f"high threshold: {high.value:g}" if high.value is not None else _why_not(high))
    low, below = found.low.value, found.low.right_below
    typer.echo(
        f"low threshold: {low:g}; right below it {told(below)}" if low is not None and below else "low threshold: none"
    )


def _why_not(high: High) -> str:
    if high.why is Why.OUT_OF_REACH and high.more is None:
        return SAID[high.why].format(more="widen the aim: more labels would not help, right and wrong lie too close")
    label = f"label about {high.more} more turns"
    return SAID[high.why].format(more=label)


def _apply(found: Calibration, origin: Provenance, send_from: str | None, settings: Path | None) -> None:
    def job(tx: Tx) -> Stored:
        made = stored.stored_from(found, origin, send_from, ACTOR)
        if late := stored.outdated(made, tx.shelf):
            raise InputError("packs", f"this gateway judges by other rules: {', '.join(late)}; use its --settings")
        stored.save(tx, made, ACTOR)
        return made

    made = run_job(settings, job)
    least = f"; sent without a person from band {made.send_from}" if made.send_from else ""
    typer.echo(f"applied: high {made.high:g}, middle {made.middle:g}{least}")


def _shown(settings: Path | None) -> int:
    held = run_job(settings, lambda tx: (k, stored.outdated(k, tx.shelf)) if (k := stored.load(tx)) else None)
    if held is None:
        typer.echo("no calibration holds; the packs' own thresholds count")
        return 0
    kept, late = held
    table = Table(show_header=False)
    for name, value in kept.record().items():
        table.add_row(name, str(value))
    table.add_row("outdated", ", ".join(late) or "no")
    Console().print(table)
    return 0


def _forgotten(settings: Path | None) -> int:
    known = run_job(settings, lambda tx: stored.forget(tx, ACTOR))
    typer.echo("forgotten; the packs' own thresholds count again" if known else "no calibration holds")
    return 0


def _stop(message: str) -> NoReturn:
    typer.echo(f"draftgate: {message}", err=True)
    raise typer.Exit(2)
