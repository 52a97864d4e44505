"""What the commands over stored replies print: policies, drift, changed verdicts."""

import json
import shutil
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gateway.audit.drift import Drift
from gateway.audit.figures import Figures
from gateway.audit.page import policy_name, shown
from gateway.web.words import language

MOST_SHOWN = 500


def show(found: Figures, changed: Drift | None) -> None:
    """Print what each policy would do, and how much drifted."""
    zh = language("zh")
    table = Table(
        "策略 policy",
        "自动发出 sent",
        "其中错的 wrong of labelled",
        "对的被留住 right held",
        title="audit",
        title_justify="left",
    )
    for policy in found.policies:
        names = policy_name(policy.id, zh)
        table.add_row(f"{names[0]}\n{names[1]}", shown(policy.sent), shown(policy.wrong), shown(policy.held))
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(table)
    console.print(f"{found.rows} replies, {found.bad} unreadable, {found.labelled.total} labelled", highlight=False)
    if changed is not None:
        console.print(_told_change(changed), highlight=False)


def _told_change(changed: Drift) -> str:
    return (
        f"against {changed.against}: {changed.compared} compared, {changed.changed} changed, "
        f"{changed.now_fails} fail now, {changed.now_passes} pass now"
    )


def list_changes(changed: Drift, changes: Path) -> None:
    """Print the changes: a table on a terminal, raw JSON lines else; the sum goes to standard error."""
    if sys.stdout.isatty():
        table_of_changes(changes)
    else:
        with changes.open(encoding="utf-8") as lines:
            shutil.copyfileobj(lines, sys.stdout)
    typer.echo(_told_change(changed), err=True)


def table_of_changes(changes: Path) -> None:
    """Print changes side by side; what people wrote is shown as it is."""
    table = Table("id", "客户 customer", "回复 reply", "原来 was", "现在 is", title="replay", title_justify="left")
    with changes.open(encoding="utf-8") as lines:
        for line in islice(lines, MOST_SHOWN):
            change = json.loads(line)
            sides = (_side(change["was"]), _side(change["now"]))
            table.add_row(change["id"], escape(change["question"]), escape(change["reply"]), *sides)
        more = sum(1 for _ in lines)
    console = Console()
    console.print(table)
    if more:
        console.print(f"{more} more; `draftgate replay … > changes.jsonl` keeps them all", highlight=False)


def _side(side: dict[str, Any]) -> str:
    """Tell one verdict in a cell: green, red, or yellow where nothing could be judged."""
    colour, word = {True: ("green", "过 passed"), False: ("red", "不过 failed")}.get(
        side["passed"], ("yellow", "没法评估 unavailable")
    )
    human = "要人 needs a person" if side["requiresHuman"] else ""
    told = [human, *(side["failedCheckIds"] or []), *(side["risks"] or []), side["auto"] or ""]
    return "\n".join([f"[{colour}]{word}[/]", *(escape(part) for part in told if part)])
