"""The client for programs that await: one method a call, no logic of its own."""

from asyncio import sleep
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import httpx2

from gateway.client import calls
from gateway.client.answers import Answer, Deliveries, GroupAnswer, InboxRow, Json, TurnError
from gateway.client.calls import Call, T
from gateway.client.errors import GateError
from gateway.client.exchange import Manner, connection, environment, read, unanswered


class AsyncClient:
    """The same calls for programs that await; see Client.

    Runs on asyncio. `transport` replaces the network in tests.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 30.0,
        tries: int = 3,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._http = httpx2.AsyncClient(transport=transport, **connection(url, key))
        self._manner = Manner(timeout, tries)

    @classmethod
    def from_environment(cls) -> Self:
        """Connect to what GATE_URL and GATE_KEY name. Raises ValueError that says what to set."""
        return cls(*environment())

    def __repr__(self) -> str:
        return f"AsyncClient({str(self._http.base_url)!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()

    async def evaluate(self, turn: Mapping[str, Any], *, log: bool | None = None) -> Answer:
        """Evaluate a turn; nothing is stored, save a row of the gateway's evaluation log if `log` or its setting says so."""
        return await self._ask(calls.evaluate(turn, log))

    async def evaluate_many(
        self, turns: Iterable[Mapping[str, Any]], *, log: bool | None = None
    ) -> list[Answer | TurnError]:
        """Evaluate turns, a hundred in a call; the results stand in the order of the turns.

        A turn that cannot be evaluated is a TurnError in its place and does not spoil the others.
        """
        return [row for call in calls.evaluate_many(turns, log) for row in await self._ask(call)]

    async def evaluation_schema(self) -> Json:
        """Read the JSON Schema of what evaluations take and give."""
        return await self._ask(calls.evaluation_schema())

    async def post_draft(self, turn: Mapping[str, Any], *, idempotency_key: str | None = None) -> Answer:
        """Post a draft for a stored conversation.

        The inbox row's id is a good key: a repeat, after a crash too, gets the first answer. Without one a key is made for
        this call, so that its own repeats are harmless; a GateError holds it.
        """
        return await self._ask(calls.post_draft(turn, idempotency_key))

    async def get_draft(self, draft_id: str) -> Answer:
        """Read a draft; `record` holds its texts, messages and history."""
        return await self._ask(calls.get_draft(draft_id))

    async def rewrite(
        self, draft_id: str, draft: Mapping[str, Any] | None = None, *, error: str | None = None
    ) -> Answer:
        """Answer the one rewrite with a new draft, or with the error that kept it from being made.

        A second one is 409, so it is not repeated when its answer is lost: `get_draft` tells whether it arrived.
        """
        return await self._ask(calls.rewrite(draft_id, draft, error))

    async def create_conversation(
        self, conversation_id: str, *, account: str, recipient: str, chat_type: str = "private", pack: str | None = None
    ) -> bool:
        """Register a conversation (scope `channel`); False if it was known."""
        return await self._ask(calls.create_conversation(conversation_id, account, recipient, chat_type, pack))

    async def get_conversation(self, conversation_id: str) -> Json:
        """Read a conversation with its messages."""
        return await self._ask(calls.get_conversation(conversation_id))

    async def post_message(self, conversation_id: str, message: Mapping[str, Any]) -> bool:
        """Store a customer's, colleague's or system's message (scope `channel`); False if it was known."""
        return await self._ask(calls.post_message(conversation_id, message))

    async def inbox(self, *, wait: float = 25.0, limit: int = 20) -> list[InboxRow]:
        """List what is to be answered, oldest first; waits up to `wait` seconds (at most 30) for the first row."""
        return await self._ask(calls.inbox(wait, limit))

    async def deliveries(
        self,
        *,
        conversation_id: str | None = None,
        state: str | None = None,
        limit: int = 100,
        before: str | None = None,
    ) -> Deliveries:
        """List Deliveries, newest first; `before` is an RFC 3339 moment."""
        return await self._ask(calls.deliveries(conversation_id, state, limit, before))

    async def group_turn(self, turn: Mapping[str, Any]) -> GroupAnswer:
        """Post a group's primary replies and a proposal who answers whom."""
        return await self._ask(calls.group_turn(turn))

    async def cross_replies(self, turn_id: str, replies: Sequence[Mapping[str, Any]]) -> GroupAnswer:
        """Post the planned cross replies of a group turn."""
        return await self._ask(calls.cross_replies(turn_id, replies))

    async def _ask(self, call: Call[T]) -> T:
        tried = 0
        while True:
            tried += 1
            try:
                return read(call, await self._http.request(**self._manner.request(call)))
            except httpx2.RequestError as error:
                failure = unanswered(call, error)
            except GateError as error:
                failure = error
            await sleep(self._manner.pause(call, failure, tried))
