"""The statistics page and its CSV."""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from sqlalchemy import select

from gateway import tally
from gateway.service import Service
from gateway.tables import Account
from gateway.tally import VERDICTS
from gateway.tx import Tx, table_of
from gateway.web.charts import Chart, line, stacked
from gateway.web.figures import DECISIONS, CheckFigures, Figures, Slice, figures_of
from gateway.web.page import PageRoute, language_of, page, service_of
from gateway.web.session import viewer
from gateway.web.words import Language
from verifier.lexicon import lexicon_of

router = APIRouter(route_class=PageRoute, include_in_schema=False)
SPANS = (7, 14, 30, 90)
CATCH_UP = 1200  # audit rows that are counted while the reader waits; more is left to the timed work
# A table program would run a cell that begins like this.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
CHECK_COLUMNS = ("failed", "unchanged", "edited", "kept", "rejected", "expired")


@router.get("/statistics")
async def show(request: Request) -> Response:
    """Show the figures of the last days."""
    caller = await viewer(request)
    days, account = _asked(request)
    values = await _figures(service_of(request), days, account)
    figures: Figures = values["figures"]
    lang = language_of(request)
    return await page(
        request,
        "statistics.html",
        caller,
        chart=_by_day(figures, lang, account),
        waits=_waits(figures, lang),
        line=line,
        days=days,
        spans=SPANS,
        account=account,
        verdicts=VERDICTS,
        decisions=DECISIONS,
        drafts_of=lambda **wanted: drafts_of(figures, {"account": account} | wanted),
        **values,
    )


@router.get("/statistics.csv")
async def table(request: Request) -> Response:
    """Give the same figures as a table: days, agents, models, accounts, checks, waits and topics."""
    await viewer(request)
    days, account = _asked(request)
    values = await _figures(service_of(request), days, account)
    out = io.StringIO()
    writer = csv.writer(out)
    for row in _rows(values["figures"]):
        writer.writerow([cell(str(value)) for value in row])
    headers = {"Content-Disposition": 'attachment; filename="draftgate-statistics.csv"'}
    # The mark at the front makes table programs read it as UTF-8.
    return Response("\ufeff" + out.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def cell(text: str) -> str:
    """Write a text so that a table program shows it instead of running it."""
    return f"'{text}" if text.startswith(FORMULA) else text


def drafts_of(figures: Figures, wanted: Mapping[str, str]) -> str:
    """Give the address of the drafts behind a figure: those of its days, and what else is wanted."""
    whole = {"tab": "all", "since": figures.days[0].name, "until": figures.days[-1].name, **wanted}
    return "/?" + urlencode({name: value for name, value in whole.items() if value})


async def _figures(service: Service, days: int, account: str) -> dict[str, Any]:
    waiting = await service.alook(tally.lag)
    if 0 < waiting <= CATCH_UP:
        await service.arun(lambda tx: tally.count_on(tx, CATCH_UP))

    def load(tx: Tx) -> dict[str, Any]:
        rows = tx.conn.execute(select(table_of(Account)).order_by(table_of(Account).c.name)).all()
        packs = sorted({row.pack for row in rows if account in ("", row.id)})
        return {
            "figures": figures_of(tx, days, account),
            "accounts": [(row.id, row.name) for row in rows],
            "topic_names": _topic_names(tx, packs),
            "behind": waiting if waiting > CATCH_UP else 0,
        }

    return await service.alook(load)


def _topic_names(tx: Tx, packs: list[str]) -> Mapping[str, str]:
    """Name topics by the pack's own first word for each: the words of a trade live there."""
    names: dict[str, str] = {}
    for pack in packs:
        for concept in lexicon_of(tx.shelf.get(pack)).concepts.values():
            names.setdefault(concept.id, next(iter(concept.words), concept.id))
    return names


def _by_day(figures: Figures, lang: Language, account: str) -> Chart:
    return stacked(
        [(day.name, day.verdicts) for day in figures.days],
        {kind: lang.say(f"statistics.{kind}") for kind in VERDICTS},
        lambda day, kind: drafts_of(
            figures, {"account": account, "since": day, "until": day, "mark": f"verdict~{kind}"}
        ),
    )


def _waits(figures: Figures, lang: Language) -> Chart:
    columns = [(_span(limit, lang), {"plain": figures.waits.get(str(limit), 0)}) for limit in tally.WAITS]
    over = (lang.say("statistics.over", span=_span(tally.WAITS[-1], lang)), {"plain": figures.waits.get("", 0)})
    return stacked([*columns, over], {"plain": lang.say("statistics.decided")}, short=0)


def _span(seconds: int, lang: Language) -> str:
    if seconds < 120:
        return lang.say("statistics.short_seconds", count=seconds)
    return lang.say("statistics.short_minutes", count=seconds // 60)


def _rows(figures: Figures) -> Iterator[list[object]]:
    yield ["group", "name", "drafts", *VERDICTS, *DECISIONS]
    groups: dict[str, tuple[Slice, ...]] = {
        "day": figures.days,
        "agent": figures.agents,
        "model": figures.models,
        "account": figures.accounts,
        "pack": figures.packs,
    }
    for group, slices in groups.items():
        for part in slices:
            counts = [part.verdicts[v] for v in VERDICTS] + [part.decisions.get(d, "") for d in DECISIONS]
            yield [group, part.name, part.drafts, *counts]
    yield ["group", "check", *CHECK_COLUMNS]
    for check in figures.checks:
        yield ["check", check.id, *_counts(check)]
    yield ["group", "seconds_up_to", "decisions"]
    for limit in (*map(str, tally.WAITS), ""):
        yield ["wait", limit, figures.waits.get(limit, 0)]
    yield ["group", "topic", "week", "backed", "claims"]
    for topic in figures.topics:
        for week, (backed, whole) in zip(figures.weeks, topic.weeks, strict=True):
            yield ["topic", topic.id, week, backed, whole]
    yield ["group", "scenario", "backed", "claims"]
    for scenario in figures.scenarios:
        yield ["scenario", scenario.id, scenario.backed, scenario.claims]
    yield ["group", "agent", "primary", "given", "dropped", "why"]
    for one in figures.cross_replies:
        why = " ".join(f"{reason}={count}" for reason, count in one.dropped.items())
        yield ["cross_reply", one.agent_id, one.primary, one.given, sum(one.dropped.values()), why]


def _counts(check: CheckFigures) -> list[int]:
    return [int(getattr(check, name)) for name in CHECK_COLUMNS]


def _asked(request: Request) -> tuple[int, str]:
    wanted = request.query_params.get("days", "")
    days = int(wanted) if wanted in {str(span) for span in SPANS} else SPANS[0]
    return days, request.query_params.get("account", "")[:200]
