"""The judge's opinion as a record: in the evaluation that is stored and answered, and read back from there."""

from collections.abc import Iterator, Mapping
from typing import Any

from planner.reading import Reading
from verifier.claims import Via
from verifier.counsel import Confirmation, Doubt, Heard, Kept, Score, Unheard
from verifier.second_opinion import fingerprint
from verifier.verdict import Judged

HEARD, UNAVAILABLE = "heard", "unavailable"


def judge_record(reading: Reading, judged: Judged) -> dict[str, Any] | None:
    """Write what the judge said, or why it said nothing; None where it was not wanted."""
    second = judged.second
    if second is None:
        return None
    told: dict[str, Any] = {"fingerprint": fingerprint(reading)}
    if isinstance(second, Unheard):
        return {"state": UNAVAILABLE, "reason": second.reason} | told
    text = reading.draft.text.original
    return {
        "state": HEARD,
        "scores": {name: {"evidence": s.evidence, "score": s.score} for name, s in second.scores.items()},
        "doubts": [_place(doubt, text) | {"why": doubt.why} for doubt in second.doubts],
        "confirmed": list(_confirmed(second, judged, text)),
    } | told


def _place(row: Doubt | Confirmation, text: str) -> dict[str, Any]:
    return {"start": row.start, "end": row.end, "quote": text[row.start : row.end]}


def _confirmed(heard: Heard, judged: Judged, text: str) -> Iterator[dict[str, Any]]:
    accepted = {(c.start, c.end) for c in judged.claims if c.via is Via.JUDGE}
    for row in heard.confirmations:
        found = {"source": row.source, "sourceQuote": row.quote, "accepted": (row.start, row.end) in accepted}
        yield _place(row, text) | found


def kept_in(evaluation: Mapping[str, Any] | None) -> Kept | None:
    """Read what the judge said back from a stored evaluation; None where it was not wanted then."""
    record = (evaluation or {}).get("judge")
    if not record:
        return None
    if record["state"] == UNAVAILABLE:
        return Kept(record["fingerprint"], Unheard(record["reason"]))
    scores = {name: Score(row["evidence"], row["score"]) for name, row in record["scores"].items()}
    doubts = tuple(Doubt(row["start"], row["end"], row["why"]) for row in record["doubts"])
    confirmations = tuple(
        Confirmation(row["start"], row["end"], row["source"], row["sourceQuote"]) for row in record["confirmed"]
    )
    return Kept(record["fingerprint"], Heard(scores, doubts, confirmations))
