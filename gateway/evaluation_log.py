"""The evaluation log: one row for each evaluation, written in the transaction that used it.

It says what was asked, how the answer scored and on what evidence, and what was decided. The answer is kept as a
fingerprint; a draft's own texts are kept with the draft.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, func, insert, select

from gateway.evaluate import Evaluated, stateless_record
from gateway.judgement import Judgement
from gateway.people import Caller
from gateway.tables_log import EvaluationRow
from gateway.tx import Tx, table_of
from outbound.message import text_sha256

MOST_WORDS = 4000  # characters of a question, and of one evidence sentence
MOST_NAMES = 50  # subjects and sources of one row
BATCH = 50_000  # rows that one tidying takes away
DIMENSIONS = {
    "factSupport": "fact_support",
    "logicConsistency": "logic_consistency",
    "retrievalCoverage": "retrieval_coverage",
    "instructionAdherence": "instruction_adherence",
}

_table = table_of(EvaluationRow)
_insert = insert(_table)  # made once: making a statement costs more than running it


def note(tx: Tx, account_id: str, draft_id: str, judgement: Judgement) -> None:
    """Keep the row of a draft's evaluation, with what the gate decided."""
    decision = judgement.decision
    decided = {"action": str(decision.action), "state": decision.state}
    given = {"at": tx.now, "account_id": account_id, "draft_id": draft_id}
    tx.conn.execute(_insert, row_of(judgement.evaluated, judgement.record) | given | decided)


def note_stateless(tx: Tx, judged: Sequence[Evaluated], caller: Caller) -> None:
    """Keep the rows of evaluations that no draft belongs to; the account is the key's, if it has exactly one."""
    account_id = next(iter(caller.accounts)) if len(caller.accounts) == 1 else None
    given = {"at": tx.now, "account_id": account_id, "draft_id": None, "action": None, "state": None}
    tx.conn.execute(_insert, [row_of(one, stateless_record(one)) | given for one in judged])


def row_of(evaluated: Evaluated, record: Mapping[str, Any]) -> dict[str, Any]:
    """Give the columns that follow from an evaluation and its record."""
    turn, draft = evaluated.turn, evaluated.turn.draft
    scored: Mapping[str, Any] = record["dimensions"] or {}
    told = {name: found for name, found in scored.items() if found is not None}
    return {
        "task_id": turn.id,
        "conversation_id": turn.conversation.id,
        "pack": evaluated.reading.pack.name,
        "agent_id": draft.agent_id if draft else None,
        "model": draft.model if draft else None,
        "question": "\n".join(message.text for message in turn.conversation.unanswered)[:MOST_WORDS],
        "fingerprint": f"sha256:{text_sha256(draft.text if draft else '')}",
        "round": record["rewriteCount"],
        "status": record["status"] or "unavailable",
        "score": record["qualityScore"],
        "passed": record["qualityPassed"],
        "evidence": {name: found["evidence"][:MOST_WORDS] for name, found in told.items()},
        "confidence": record["confidence"],
        "band": record["band"],
        "judge": _judge(record.get("judge")),
        "fallback_reason": record["fallbackReason"],
        "failed": list(record["failedCheckIds"]),
        "scenarios": sorted({risk["scenario"] for risk in record["risks"]}),
        "subjects": _subjects(evaluated),
        "sources": _sources(evaluated),
        "rules_version": record["rulesVersion"],
    } | {column: told[name]["score"] if name in told else None for name, column in DIMENSIONS.items()}


def _judge(told: Mapping[str, Any] | None) -> str | None:
    """Say in one line what became of the second opinion; None where none was wanted."""
    if told is None:
        return None
    return told["state"] if told["state"] == "heard" else f"{told['state']}: {told['reason']}"


def _subjects(evaluated: Evaluated) -> list[str]:
    """Name what the turn was about: its own subject, and those of the evidence."""
    turn, draft = evaluated.turn, evaluated.turn.draft
    given = [turn.conversation.subject]
    if draft is not None:
        given += [citation.subject for citation in draft.citations]
        given += [result.subject for result in draft.tool_results]
    return list(dict.fromkeys(name for name in given if name))[:MOST_NAMES]


def _sources(evaluated: Evaluated) -> list[str]:
    """Name the evidence by what a person would look for: a passage's title or id, a tool."""
    draft = evaluated.turn.draft
    if draft is None:
        return []
    given = [c.title or c.id for c in draft.citations] + [t.tool for t in draft.tool_results]
    return list(dict.fromkeys(given))[:MOST_NAMES]


def tidy(tx: Tx) -> int:
    """Forget rows that are older than the setting allows; gives how many."""
    limit = tx.now - timedelta(days=tx.settings.log_days)
    old = select(_table.c.seq).where(_table.c.at < limit).order_by(_table.c.at).limit(BATCH)
    return tx.conn.execute(delete(_table).where(_table.c.seq.in_(old))).rowcount


def count_of(tx: Tx, conversation_id: str) -> int:
    """Count a conversation's rows."""
    query = select(func.count()).select_from(_table).where(_table.c.conversation_id == conversation_id)
    return int(tx.conn.execute(query).scalar_one())


def forget(tx: Tx, conversation_id: str, actor: str) -> int:
    """Delete all rows of a conversation, the customer's words and the evidence with them; gives how many.

    The audit says that it was done and by whom; drafts and messages are not part of the log and stay.
    """
    deleted = tx.conn.execute(delete(_table).where(_table.c.conversation_id == conversation_id)).rowcount
    tx.audit(actor, "log_deleted", conversation_id=conversation_id, why=f"{deleted} rows of the evaluation log")
    return deleted
