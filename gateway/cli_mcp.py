"""The command that serves the gate's tools to a model over standard input and output."""

import sys
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("mcp")(serve_tools)


def serve_tools(
    agent: Annotated[str, typer.Option(help="the name that statistics give this agent")] = "mcp",
) -> None:
    """Serve the gate's tools over the Model Context Protocol (stdio); GATE_URL and GATE_KEY say which gateway."""
    from gateway.client import AsyncClient
    from gateway.mcp_server import McpMissingError, build_server

    try:
        server = build_server(AsyncClient.from_environment(), agent)
    except (McpMissingError, ValueError) as error:
        typer.echo(f"draftgate: {error}", err=True)
        raise typer.Exit(2) from error
    if sys.stdin.isatty():
        typer.echo("draftgate: waits for an MCP client on standard input (Ctrl-C ends it)", err=True)
    server.run("stdio")
