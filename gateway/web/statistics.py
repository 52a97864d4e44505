"""The statistics page and its CSV."""

import csv
import io
from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy import select

from gateway.tables import Account
from gateway.tx import Tx, table_of
from gateway.web.charts import stacked
from gateway.web.figures import DECISIONS, VERDICTS, Figures, figures_of
from gateway.web.page import PageRoute, language_of, page, service_of
from gateway.web.session import viewer

router = APIRouter(route_class=PageRoute, include_in_schema=False)
SPANS = (7, 14, 30)
# A table program would run a cell that begins like this.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


@router.get("/statistics")
async def show(request: Request) -> Response:
    """Show the figures of the last days."""
    caller = await viewer(request)
    days, account = _asked(request)

    def load(tx: Tx) -> dict[str, Any]:
        table = table_of(Account)
        accounts = tx.conn.execute(select(table.c.id, table.c.name).order_by(table.c.name)).all()
        return {"figures": figures_of(tx, days, account), "accounts": [(row.id, row.name) for row in accounts]}

    values = await service_of(request).alook(load)
    figures: Figures = values["figures"]
    lang = language_of(request)
    chart = stacked(
        [(day.name, day.verdicts) for day in figures.days],
        {kind: lang.say(f"statistics.{kind}") for kind in VERDICTS},
    )
    return await page(
        request,
        "statistics.html",
        caller,
        chart=chart,
        days=days,
        spans=SPANS,
        account=account,
        verdicts=VERDICTS,
        decisions=DECISIONS,
        **values,
    )


@router.get("/statistics.csv")
async def table(request: Request) -> Response:
    """Give the same figures as a table, a row per day and per agent."""
    await viewer(request)
    days, account = _asked(request)
    figures = await service_of(request).alook(lambda tx: figures_of(tx, days, account))
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["group", "name", "drafts", *VERDICTS, *DECISIONS])
    for group, slices in (("day", figures.days), ("agent", figures.agents)):
        for part in slices:
            counts = [part.verdicts[v] for v in VERDICTS] + [part.decisions[d] for d in DECISIONS]
            writer.writerow([group, cell(part.name), part.drafts, *counts])
    headers = {"Content-Disposition": 'attachment; filename="draftgate-statistics.csv"'}
    # The mark at the front makes table programs read it as UTF-8.
    return Response("\ufeff" + out.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def cell(text: str) -> str:
    """Write a text so that a table program shows it instead of running it."""
    return f"'{text}" if text.startswith(FORMULA) else text


def _asked(request: Request) -> tuple[int, str]:
    wanted = request.query_params.get("days", "")
    days = int(wanted) if wanted in {str(span) for span in SPANS} else SPANS[0]
    return days, request.query_params.get("account", "")[:200]
