"""Prometheus metrics, read from the store at each scrape: no process holds a count of its own."""

from collections.abc import Iterator
from typing import Any

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy import func, select

from gateway.service import Service
from gateway.tables import DeliveryRow, DraftRow, OutboundRow
from gateway.tables_calls import AgentCall, AlertPost
from gateway.tx import Tx, table_of


class Stored(Collector):
    """Counts of drafts, messages, Deliveries, calls to agents and alerts by state."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Read the counts."""
        for name, model, told in (
            ("draftgate_drafts", DraftRow, "Drafts by state"),
            ("draftgate_messages", OutboundRow, "Outbound messages by state"),
            ("draftgate_deliveries", DeliveryRow, "Deliveries by state"),
            ("draftgate_agent_calls", AgentCall, "Calls to agents' webhooks by state"),
            ("draftgate_alerts", AlertPost, "Alerts to operators by state"),
        ):
            family = GaugeMetricFamily(name, told, labels=["state"])
            for state, count in self._service.look(lambda tx, model=model: _counts(tx, model)):  # type: ignore[misc]
                family.add_metric([state], count)
            yield family


def _counts(tx: Tx, model: Any) -> list[tuple[str, int]]:
    table = table_of(model)
    rows = tx.conn.execute(select(table.c.state, func.count()).group_by(table.c.state)).all()
    return [(row[0], int(row[1])) for row in rows]
