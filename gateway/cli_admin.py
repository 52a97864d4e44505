"""Commands that set a gateway up: settings file, operators, accounts, API keys."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from gateway import people
from gateway.errors import GatewayError
from gateway.jsonio import InputError
from gateway.service import Service
from gateway.settings import Settings, SettingsError, load_settings
from gateway.tx import Tx

T = TypeVar("T")
SettingsOption = Annotated[Path | None, typer.Option("--settings", help="settings file, see `draftgate init`")]
DEFAULT_FILE = Path("draftgate.env")


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("init")(init)
    app.command("add-operator")(add_operator)
    app.command("add-account")(add_account)
    app.command("add-key")(add_key)
    app.command("import")(import_drafts)


def first_line(error: Exception) -> str:
    """Give what a database's error says in its first line, without the statement and the library's link."""
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0]


@contextmanager
def open_service(file: Path | None) -> Iterator[Service]:
    from sqlalchemy.exc import SQLAlchemyError

    from gateway.server import build_service

    try:
        service = build_service(load_settings(file))
    except SettingsError as error:
        typer.echo(f"draftgate: {error}", err=True)
        raise typer.Exit(2) from error
    except SQLAlchemyError as error:
        told = f"DRAFTGATE_DATABASE_URL: the database cannot be used: {first_line(error)}"
        typer.echo(f"draftgate: {told}", err=True)
        raise typer.Exit(2) from error
    try:
        yield service
    finally:
        service.stop()


def run_job(file: Path | None, job: Callable[[Tx], T]) -> T:
    with open_service(file) as service:
        try:
            return service.run(job)
        except (GatewayError, InputError) as error:
            typer.echo(f"draftgate: {error}", err=True)
            raise typer.Exit(1) from error


def init(
    operator: Annotated[str, typer.Option(help="sign-in name of the first operator")] = "admin",
    password: Annotated[str | None, typer.Option(help="empty: one is made and shown once")] = None,
    file: Annotated[Path, typer.Option(help="where to write the settings")] = DEFAULT_FILE,
) -> None:
    """Write a commented settings file and create the first operator (an admin)."""
    if file.exists():
        typer.echo(f"draftgate: {file} exists; nothing was changed", err=True)
        raise typer.Exit(1)
    file.write_text(settings_text(secret_key=secrets.token_urlsafe(32)), "utf-8")
    file.chmod(0o600)  # the channel's secret will stand in it
    made = password or secrets.token_urlsafe(12)
    try:
        hashed = people.hash_password(made)
        run_job(
            file,
            lambda tx: people.add_operator(
                tx, operator_id=operator, name=operator, password_hash=hashed, role="admin", actor="init"
            ),
        )
    except (GatewayError, typer.Exit):
        file.unlink()
        raise
    typer.echo(f"wrote {file}; operator {operator}" + ("" if password else f", password {made} (shown this once)"))
    typer.echo(
        "next: draftgate add-account, draftgate add-key, draftgate serve (each with --settings " + str(file) + ")"
    )


def settings_text(**given: str) -> str:
    """Write the settings file: every setting with its meaning, commented out at its default unless it is given."""
    lines = ["# draftgate settings. Uncomment what you change; the environment wins over this file.", ""]
    for name, field in Settings.model_fields.items():
        default = field.default
        shown = default.get_secret_value() if hasattr(default, "get_secret_value") else default
        value = f"DRAFTGATE_{name.upper()}={'' if shown is None else shown}"
        line = f"DRAFTGATE_{name.upper()}={given[name]}" if name in given else f"# {value}"
        lines += [f"# {field.description}", line, ""]
    return "\n".join(lines)


def add_operator(
    operator: str,
    role: Annotated[str, typer.Option(help="viewer, operator or admin")] = "operator",
    name: Annotated[str, typer.Option(help="name that colleagues see")] = "",
    password: Annotated[str | None, typer.Option(help="empty: one is made and shown once")] = None,
    settings: SettingsOption = None,
) -> None:
    """Create an operator."""
    made = password or secrets.token_urlsafe(12)
    try:
        hashed = people.hash_password(made)
    except GatewayError as error:
        typer.echo(f"draftgate: {error}", err=True)
        raise typer.Exit(1) from error
    run_job(
        settings,
        lambda tx: people.add_operator(
            tx, operator_id=operator, name=name or operator, password_hash=hashed, role=role, actor="command line"
        ),
    )
    typer.echo(f"operator {operator} ({role})" + ("" if password else f", password {made} (shown this once)"))


def add_account(
    account: str,
    channel_account: Annotated[str, typer.Option("--kf", help="open_kfid of the WeCom kf account")] = "",
    mode: Annotated[str, typer.Option(help="review, auto or autopilot")] = "review",
    pack: Annotated[str, typer.Option(help="business pack")] = "property",
    allow: Annotated[list[str] | None, typer.Option(help="a customer's id that may be written to; * for all")] = None,
    settings: SettingsOption = None,
) -> None:
    """Register a customer-service account. Without --allow nobody can be written to."""

    def job(tx: Tx) -> Any:
        people.add_account(
            tx,
            account_id=account,
            name=account,
            actor="command line",
            mode=mode,
            pack=pack,
            channel_account=channel_account,
            allowlist=allow or [],
        )

    run_job(settings, job)
    typer.echo(f"account {account}: {mode} mode, pack {pack}, {len(allow or [])} allowlist entries")


def add_key(
    name: str,
    scope: Annotated[list[str], typer.Option(help="agent, channel, operator or admin; repeat for more")],
    account: Annotated[list[str] | None, typer.Option(help="limit the key to an account; repeat for more")] = None,
    settings: SettingsOption = None,
) -> None:
    """Make an API key and show it once."""
    made = run_job(
        settings, lambda tx: people.add_key(tx, name=name, scopes=scope, accounts=account, actor="command line")
    )
    typer.echo(made[1])


def import_drafts(
    file: Annotated[
        Path, typer.Argument(help="JSON lines: id, conversationId, text, createdAt, state?, quality fields?")
    ],
    settings: SettingsOption = None,
) -> None:
    """Import drafts of an earlier system as history; absent quality fields stay null."""
    from gateway.importing import import_line
    from gateway.jsonlines import run_lines

    if not file.is_file():
        typer.echo(f"draftgate: no such file: {file}", err=True)
        raise typer.Exit(2)
    with open_service(settings) as service:
        raise typer.Exit(run_lines(file, lambda raw: service.run(lambda tx: import_line(tx, raw))))
