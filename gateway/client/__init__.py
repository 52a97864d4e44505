"""A client of the gateway's HTTP API for agents in Python; it brings nothing of the server with it.

from gateway.client import Client

with Client("https://gate.example", key) as gate:
    answer = gate.evaluate(turn)
    answer.passed, answer.action, answer.fix_actions
"""

from gateway.client.answers import Answer, Deliveries, FixAction, GroupAnswer, InboxRow, Json, TurnError
from gateway.client.awaiting import AsyncClient
from gateway.client.blocking import Client
from gateway.client.errors import GateError, GateTimeout, GateUnreachable
from gateway.client.fixes import FIX_ACTIONS

__all__ = [
    "FIX_ACTIONS",
    "Answer",
    "AsyncClient",
    "Client",
    "Deliveries",
    "FixAction",
    "GateError",
    "GateTimeout",
    "GateUnreachable",
    "GroupAnswer",
    "InboxRow",
    "Json",
    "TurnError",
]
