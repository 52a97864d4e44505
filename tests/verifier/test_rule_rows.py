"""Every row of the checks' vocabulary finds its example and leaves its counter-example alone."""

import pytest

from planner.pack import Row, load_pack
from verifier.checks.internal_leak import Secret
from verifier.checks.privacy import Party
from verifier.checks.promise_limits import Lure, Promise
from verifier.checks.tone import ToneRule
from verifier.handoff import Frame, Verb
from verifier.rules import Rule

SECTIONS: dict[str, type[Row]] = {
    "promises": Promise,
    "promise_guards": Row,
    "promise_questions": Lure,
    "promise_agreements": Row,
    "promise_commitments": Row,
    "leaks": Rule,
    "owner_only": Secret,
    "parties": Party,
    "private_matters": Rule,
    "tone": ToneRule,
    "advice": Rule,
    "question_words": Rule,
    "question_forms": Row,
    "reply_forms": Row,
    "amount_questions": Row,
    "handoff_verbs": Verb,
    "handoff_frames": Frame,
}


def _rows() -> list[tuple[str, str, Row]]:
    found = {}
    for pack in ("property", "used_car"):
        for section, model in SECTIONS.items():
            for row in load_pack(pack).rows(section, model):
                found[section, row.id] = row
    return [(section, name, row) for (section, name), row in found.items()]


@pytest.mark.parametrize(("section", "name", "row"), _rows(), ids=lambda v: v if isinstance(v, str) else "")
def test_row(section: str, name: str, row: Row) -> None:
    assert row.example, f"{section}.{name} has no example"
    assert row.counter, f"{section}.{name} has no counter-example"
    assert row.search(row.example), f"{section}.{name} does not find its example"
    assert not row.search(row.counter), f"{section}.{name} finds its counter-example"
