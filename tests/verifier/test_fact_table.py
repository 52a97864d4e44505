"""The table of facts: drafts that hold and drafts that do not, on the same evidence, and what spoiled evidence does.

fact_cases.txt has one question a line with its evidence; each draft stands with its sign.
"""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planner.turn import Citation, ToolResult
from tests.verifier.turns import cite, tool, turn
from verifier.claims import Facts, Status
from verifier.facts import check_facts

BAD = {Status.CONTRADICTED, Status.UNSUPPORTED, Status.STALE}
HARMLESS = ("您好，", "放心哈。", "其他的我再核实一下回您。", "有问题随时找我～")
LINES = (Path(__file__).parent / "fact_cases.txt").read_text(encoding="utf-8").splitlines()


def _cases() -> Iterator[tuple[str, str, str, str]]:
    for line in LINES:
        if line and not line.startswith("#"):
            pack, question, evidence, *drafts = (part.strip() for part in line.split(" | "))
            yield from ((pack, question, evidence, draft) for draft in drafts)


CASES = list(_cases())
GOOD = [case for case in CASES if case[3][0] == "+"]
WRONG = [case for case in CASES if case[3][0] == "-"]
BACKED = [case for case in GOOD if case[2] != "-"]


def _evidence(words: str, **fields: Any) -> list[Citation | ToolResult]:
    found: list[Citation | ToolResult] = []
    for number, part in enumerate(words.split(" ;; ")):
        if part.startswith("C:"):
            found.append(cite(part[2:].strip(), id=f"c{number}", **fields))
        elif part.startswith("T:"):
            found.append(tool(json.loads(part[2:]), id=f"t{number}", **fields))
    return found


def _check(case: tuple[str, str, str, str], evidence: list[Citation | ToolResult], draft: str | None = None) -> Facts:
    text = case[3][1:] if draft is None else draft
    return check_facts(turn(text, *evidence, asked=case[1], pack=case[0], subject="青枫里"))


def _blocked(facts: Facts) -> bool:
    return any(claim.status in BAD for claim in facts.claims)


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case[3])
def test_what_the_sources_say_passes(case: tuple[str, str, str, str]) -> None:
    assert not _blocked(_check(case, _evidence(case[2])))


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case[3])
def test_what_the_sources_do_not_say_is_blocked(case: tuple[str, str, str, str]) -> None:
    assert _blocked(_check(case, _evidence(case[2])))


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case[3])
def test_a_harmless_clause_never_frees_a_fault(case: tuple[str, str, str, str]) -> None:
    fault = case[3][1:]
    for draft in (f"{HARMLESS[0]}{fault}", *(f"{fault}。{more}" for more in HARMLESS[1:])):
        assert _blocked(_check(case, _evidence(case[2]), draft))


def test_claims_quote_the_draft() -> None:
    for case in CASES:
        for claim in _check(case, _evidence(case[2])).claims:
            assert case[3][1:][claim.start : claim.end] == claim.quote


def _spoiled(spoil: str) -> float:
    """Give the share of supported drafts that are blocked once their evidence is spoiled."""
    hit = tried = 0
    for case in BACKED:
        whole = _check(case, _evidence(case[2]))
        if not any(claim.status is Status.SUPPORTED for claim in whole.claims):
            continue
        if spoil == "withdrawn" and "T:" in case[2]:
            continue
        evidence = {
            "removed": [],
            "elsewhere": _evidence(case[2], subject="听雨轩"),
            "failed": [e for e in _evidence(case[2]) if isinstance(e, Citation)],
            "withdrawn": _evidence(case[2], withdrawn=True) if "T:" not in case[2] else [],
        }[spoil]
        if spoil == "failed" and "T:" not in case[2]:
            continue
        tried += 1
        hit += _blocked(_check(case, evidence))
    return hit / tried


@pytest.mark.parametrize("spoil", ["removed", "elsewhere", "failed", "withdrawn"])
def test_spoiled_evidence_backs_nothing(spoil: str) -> None:
    assert _spoiled(spoil) == 1


def test_the_order_of_the_evidence_does_not_matter() -> None:
    for case in BACKED:
        evidence = _evidence(case[2])
        if len(evidence) < 2:
            continue
        wanted = [claim.status for claim in _check(case, evidence).claims]
        for order in itertools.permutations(evidence):
            assert [claim.status for claim in _check(case, list(order)).claims] == wanted
