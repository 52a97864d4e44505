"""Packs for administrators: which one judges, what a check says, and how the file on disk differs from the running one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from sqlalchemy import select

from gateway.packcheck import problems_of
from gateway.packs import PackShelf
from gateway.tables import Account
from gateway.tx import Tx, table_of
from gateway.web.page import PageRoute, page, service_of
from gateway.web.session import posted, viewer
from planner.pack import BUILT_IN, Pack, PackError, read_pack

router = APIRouter(route_class=PageRoute, include_in_schema=False)
MOST = 200  # lines of a report


@dataclass(frozen=True, slots=True)
class Listed:
    """A pack by name: who made it, which version judges now, and the accounts that it judges for."""

    name: str
    own: bool
    running: str
    accounts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed in a section: ids of rows that came, went or changed; none of them for a section without rows."""

    section: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What a look at a pack's file gave. `against`: what it was compared with, `running` or `built_in`."""

    name: str
    on_disk: str
    running: str
    problems: tuple[str, ...]
    against: str
    differences: tuple[Difference, ...]


@router.get("/settings/packs")
async def show(request: Request) -> Response:
    """List the packs."""
    caller = await viewer(request, "admin")
    rows = await service_of(request).alook(_listed)
    return await page(request, "packs.html", caller, rows=rows, report=None)


@router.post("/settings/packs/{name}/check")
async def check(request: Request, name: str) -> Response:
    """Check a pack's file and compare it with what runs; nothing changes: a new file counts from the next start on."""
    caller, _ = await posted(request, "admin")
    service = service_of(request)
    report = await run_in_threadpool(report_of, service.shelf, name)
    rows = await service.alook(_listed)
    return await page(request, "packs.html", caller, rows=rows, report=report)


def report_of(shelf: PackShelf, name: str) -> Report:
    """Read a pack anew, check it and compare it. Raises InputError for an unknown name."""
    file, running = shelf.file(name), shelf.running(name)
    told = running.digest if running is not None else ""
    try:
        pack = read_pack(file)
    except PackError as error:
        return Report(name, "", told, (str(error),), "", ())
    other, against = (running, "running") if running is not None else (_built_in(name, file), "built_in")
    found = tuple(differences(other.sections, pack.sections)) if other is not None else ()
    return Report(name, pack.digest, told, tuple(problems_of(pack)[:MOST]), against if other else "", found[:MOST])


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    """Compare two packs section by section; rows are told apart by their ids."""
    for section in sorted({*before, *after}):
        old, new = before.get(section), after.get(section)
        if old == new:
            continue
        rows, others = _by_id(old), _by_id(new)
        yield Difference(
            section,
            tuple(sorted(others.keys() - rows.keys())),
            tuple(sorted(rows.keys() - others.keys())),
            tuple(sorted(key for key in rows.keys() & others.keys() if rows[key] != others[key])),
        )


def _by_id(rows: Any) -> dict[str, Any]:
    if isinstance(rows, Mapping):
        return {str(key): value for key, value in rows.items()}
    listed = rows if isinstance(rows, list) else []
    return {str(row["id"]): row for row in listed if isinstance(row, dict) and "id" in row}


def _built_in(name: str, file: Path) -> Pack | None:
    shipped = BUILT_IN / name / "pack.yaml"
    return read_pack(shipped) if shipped.is_file() and shipped != file else None


def _listed(tx: Tx) -> list[Listed]:
    accounts = tx.conn.execute(select(table_of(Account)).order_by(table_of(Account).c.name)).all()
    return [_one(tx.shelf, name, accounts) for name in tx.shelf.names()]


def _one(shelf: PackShelf, name: str, accounts: Any) -> Listed:
    running = shelf.running(name)
    own = not shelf.file(name).is_relative_to(BUILT_IN)
    used = tuple(row.name for row in accounts if row.pack == name)
    return Listed(name, own, running.digest if running is not None else "", used)
