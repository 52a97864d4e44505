"""Commands for what goes to agents and operators: webhooks with their dead letters, alerts with their targets."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from sqlalchemy import select

from gateway import agent_calls, alarm, alert_targets, hooks
from gateway.cli_admin import SettingsOption, run_job
from gateway.tables_calls import ALERT_KINDS, AgentHook
from gateway.tx import Tx, table_of

ACTOR = "command line"
MOST = 1000
webhook_app = typer.Typer(no_args_is_help=True, help="Call an account's agent instead of waiting for it to ask.")
alerts_app = typer.Typer(no_args_is_help=True, help="Tell operators what waits, failed or stopped.")
AccountArg = Annotated[str, typer.Argument(help="the account")]
KindOption = Annotated[list[str] | None, typer.Option(help=f"only these: {', '.join(ALERT_KINDS)}; repeat for more")]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.add_typer(webhook_app, name="webhook")
    app.add_typer(alerts_app, name="alerts")


@webhook_app.command("set")
def set_hook(account: AccountArg, url: str, settings: SettingsOption = None) -> None:
    """Set an account's webhook and show its secret once; setting it again changes the secret."""
    typer.echo(run_job(settings, lambda tx: hooks.set_hook(tx, account, url, ACTOR)))


@webhook_app.command("rotate")
def rotate_secret(
    account: AccountArg,
    settings: SettingsOption = None,
    finish: Annotated[
        bool, typer.Option("--finish", help="the agent knows the new secret: drop the earlier one")
    ] = False,
) -> None:
    """Give a webhook a new secret and show it once; calls are signed with both until `--finish`."""
    if finish:
        run_job(settings, lambda tx: hooks.finish_rotation(tx, account, ACTOR))
        typer.echo(f"account {account}: the earlier secret signs no more")
        return
    typer.echo(run_job(settings, lambda tx: hooks.rotate(tx, account, ACTOR)))


@webhook_app.command("remove")
def remove_hook(account: AccountArg, settings: SettingsOption = None) -> None:
    """Remove an account's webhook; its agent may still ask the inbox."""
    run_job(settings, lambda tx: hooks.remove_hook(tx, account, ACTOR))
    typer.echo(f"account {account}: no webhook")


@webhook_app.command("list")
def list_hooks(settings: SettingsOption = None) -> None:
    """List the webhooks, without their secrets."""

    def job(tx: Tx) -> list[dict[str, Any]]:
        rows = tx.conn.execute(select(table_of(AgentHook)).order_by("account_id")).all()
        return [{"account": r.account_id, "url": hooks.shown(r.url), "since": r.created_at.isoformat()} for r in rows]

    _show(run_job(settings, job), ("account", "url", "since"))


@webhook_app.command("dead-letters")
def dead_letters(settings: SettingsOption = None) -> None:
    """List what no agent took."""
    columns = ("id", "account", "conversationId", "open", "attempts", "error", "updatedAt")
    _show(run_job(settings, lambda tx: agent_calls.dead_letters(tx, (), MOST)), columns)


@webhook_app.command("retry")
def retry(
    ids: Annotated[list[str] | None, typer.Argument(help="ids of dead letters")] = None,
    all_: Annotated[bool, typer.Option("--all", help="every dead letter that still waits for an answer")] = False,
    settings: SettingsOption = None,
) -> None:
    """Call agents anew about dead letters."""

    def job(tx: Tx) -> int:
        waiting = [r["id"] for r in agent_calls.dead_letters(tx, (), MOST) if r["open"]] if all_ else []
        chosen = dict.fromkeys([*(ids or []), *waiting])
        for inbox_id in chosen:
            agent_calls.call_again(tx, inbox_id, ACTOR)
        return len(chosen)

    typer.echo(f"{run_job(settings, job)} will be called again")


@alerts_app.command("add-robot")
def add_robot(
    account: AccountArg,
    key: Annotated[
        str, typer.Option(prompt="webhook address of the group robot", hide_input=True, help="asked for if left out")
    ],
    kind: KindOption = None,
    settings: SettingsOption = None,
) -> None:
    """Send an account's alerts to a group through its robot."""
    typer.echo(run_job(settings, lambda tx: alert_targets.add_robot(tx, account, key, kind or [], ACTOR)))


@alerts_app.command("add-members")
def add_members(
    account: AccountArg,
    agent_id: Annotated[int, typer.Option(help="AgentId of the app in the admin console")],
    member: Annotated[list[str], typer.Option(help="user id of a colleague; repeat for more")],
    kind: KindOption = None,
    settings: SettingsOption = None,
) -> None:
    """Send an account's alerts to colleagues as messages of the app."""
    typer.echo(
        run_job(settings, lambda tx: alert_targets.add_members(tx, account, agent_id, member, kind or [], ACTOR))
    )


@alerts_app.command("remove")
def remove_target(target: str, settings: SettingsOption = None) -> None:
    """Remove a target."""
    run_job(settings, lambda tx: alert_targets.remove_target(tx, target, ACTOR))
    typer.echo(f"target {target} removed")


@alerts_app.command("targets")
def targets(settings: SettingsOption = None) -> None:
    """List where alerts go, without any key."""

    def job(tx: Tx) -> list[dict[str, Any]]:
        return [
            {
                "id": t.id,
                "account": t.account_id,
                "kind": t.kind,
                "to": ", ".join(t.members),
                "told": ", ".join(t.kinds),
            }
            for t in alarm.targets(tx)
        ]

    _show(run_job(settings, job), ("id", "account", "kind", "to", "told"))


@alerts_app.command("list")
def list_alerts(settings: SettingsOption = None) -> None:
    """List the newest alerts with what became of each."""
    columns = ("createdAt", "account", "kind", "state", "attempts", "error", "draftId", "target")
    _show(run_job(settings, lambda tx: alarm.records(tx, (), 100)), columns)


def _show(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> None:
    table = Table(*columns)
    for row in rows:
        table.add_row(*("" if row[name] is None else str(row[name]) for name in columns))
    Console().print(table)
