"""Commands for the evaluation log: what it says, a file of it, and a conversation's rows deleted."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from gateway import evaluation_log, log_export
from gateway.cli_admin import SettingsOption, open_service, run_job
from gateway.jsonio import InputError
from gateway.log_summary import LogSummary, Shares, Support, summary_of
from gateway.service import Service
from gateway.spans import Span, span_of

ACTOR = "command line"
log_app = typer.Typer(no_args_is_help=True, help="Read, export and delete the log of evaluations.")
SinceOption = Annotated[str, typer.Option(help="first day (2026-03-07, the shop's) or moment")]
UntilOption = Annotated[str, typer.Option(help="last day or the moment before which it ends")]
AccountOption = Annotated[str, typer.Option(help="only this account")]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.add_typer(log_app, name="log")


@log_app.command("summary")
def summary(
    since: SinceOption = "",
    until: UntilOption = "",
    account: AccountOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object instead of tables")] = False,
    settings: SettingsOption = None,
) -> None:
    """Show verdicts by agent, model and pack, failed checks, weak topics and cross replies; seven days unless told."""
    accounts = _accounts(account)
    found = run_job(settings, lambda tx: summary_of(tx, span_of(since, until, tx.now, tx.settings.zone), accounts))
    if as_json:
        typer.echo(json.dumps(found.record(), ensure_ascii=False))
    else:
        for table in _tables(found):
            Console().print(table)


@log_app.command("export")
def export(
    out: Annotated[Path, typer.Option(help="a .parquet file (extra: audit) or a .jsonl file")],
    since: SinceOption = "",
    until: UntilOption = "",
    account: AccountOption = "",
    settings: SettingsOption = None,
) -> None:
    """Write the log to a file, everything unless told; it appears under its name when it is whole."""
    if out.suffix not in log_export.SUFFIXES:
        _stop(f"--out: {out.name} must end in {' or '.join(log_export.SUFFIXES)}")
    with open_service(settings) as service:
        try:
            span = span_of(since, until, service.clock(), service.settings.zone, whole=True)
            written = _exported(service, out, span, _accounts(account))
        except (InputError, log_export.ParquetMissingError, OSError) as error:
            _stop(str(error))
    typer.echo(f"{out}: {written} rows", err=True)


@log_app.command("delete")
def delete(
    conversation: Annotated[str, typer.Option(help="the conversation's id")], settings: SettingsOption = None
) -> None:
    """Delete a conversation's rows, the customer's words and the evidence with them; the audit keeps that it was done."""
    deleted = run_job(settings, lambda tx: evaluation_log.forget(tx, conversation, ACTOR))
    typer.echo(f"conversation {conversation}: {deleted} rows deleted")


def _exported(service: Service, out: Path, span: Span, accounts: Sequence[str]) -> int:
    whole = service.look(lambda tx: log_export.count(tx, span, accounts))
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(out.name, total=whole)
        return log_export.export(service, out, span, accounts, lambda rows: progress.advance(task, rows))


def _accounts(account: str) -> tuple[str, ...]:
    return (account,) if account else ()


def _stop(message: str) -> NoReturn:
    typer.echo(f"draftgate: {message}", err=True)
    raise typer.Exit(2)


def _tables(found: LogSummary) -> Iterable[Table]:
    yield _shares("各智能体 agents", [*found.agents, found.whole])
    yield _shares("各模型 models", found.models)
    yield _shares("各业务包 packs", found.packs)
    bands = Table("档 band", "次数 count", title="各档置信度 bands of confidence")
    for name, number in found.bands.items():
        bands.add_row(name, str(number))
    yield bands
    checks = Table("检查 check", "次数 count", title="没过的检查 failed checks")
    for name, number in found.checks.items():
        checks.add_row(name, str(number))
    yield checks
    yield _support("最弱的情形 weakest scenarios", found.scenarios)
    yield _support("最弱的房源或车 weakest subjects", found.subjects)
    yield _support("最弱的资料 weakest sources", found.sources)
    cross = Table(
        "智能体 agent", "首轮 primary", "补充 given", "占比 share", "去掉 dropped", title="互相补充 cross replies"
    )
    for one in found.cross_replies:
        dropped = ", ".join(f"{why} {number}" for why, number in one.dropped.items())
        cross.add_row(escape(one.agent_id) or "—", str(one.primary), str(one.given), _percent(one.share), dropped)
    yield cross


def _shares(title: str, parts: Sequence[Shares]) -> Table:
    table = Table("", "评估 evaluations", "通过 pass", "提醒 warn", "不过 fail", "没法评 unavailable", title=title)
    for part in parts:
        whole = part.evaluations
        shares = [f"{count} ({_percent(count / whole if whole else None)})" for count in part.counts.values()]
        table.add_row(escape(part.name) or "—", str(whole), *shares)
    return table


def _support(title: str, parts: Sequence[Support]) -> Table:
    table = Table("", "评估 evaluations", "事实支持 fact support", title=title)
    for part in parts:
        table.add_row(escape(part.name), str(part.evaluations), f"{part.mean:.2f}")
    return table


def _percent(share: float | None) -> str:
    return "—" if share is None else f"{100 * share:.0f}%"
