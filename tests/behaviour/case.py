"""One line of behaviour.jsonl as a test sees it: what is given, and what must be shown to hold.

A test carries its line's id in its name: `test_g_02_…` is the test of `g-02`. Every name under the line's `expect` has
to be asserted by the test; one that is left over fails it.
"""

import json
import re
from pathlib import Path

FILE = Path(__file__).with_name("behaviour.jsonl")
LINES = {line["id"]: line for line in map(json.loads, FILE.read_text("utf-8").splitlines())}
# what the lines call a failure, and the check of the contract that finds it
CHECKS = {
    "number_mismatch": "fact_evidence",
    "prohibited_promise": "promise_limits",
    "repeated_reply": "consistency",
    "off_topic": "answers_question",
}
NAME = re.compile(r"test_(v_eval|[gowst])_(\d\d)(?=_)")


def id_of(function_name):
    """Give the id that a test's name carries, or None."""
    found = NAME.match(function_name)
    return f"{found[1]}-{found[2]}".replace("_", "-") if found else None


class Case:
    """A line with a note of which of its expectations were asserted."""

    def __init__(self, line):
        self.id, self.given, self._expect = line["id"], line["given"], line["expect"]
        self.left = set(self._expect)

    def wanted(self, name):
        """Look at an expectation without asserting it."""
        return self._expect[name]

    def equals(self, name, got):
        """The product shows exactly what the line says."""
        assert got == self._expect[name], f"{self.id}: {name}"
        self.left.discard(name)

    def holds(self, name, truth):
        """What the line says in words is true."""
        assert truth, f"{self.id}: {name}: {self._expect[name]}"
        self.left.discard(name)

    def fails(self, name, failed):
        """One of the checks that the line names is among those that failed."""
        named = [word for word in re.findall(r"\w+", self._expect[name]) if word != "or"]
        assert {CHECKS.get(word, word) for word in named} & set(failed), f"{self.id}: {named} not in {failed}"
        self.left.discard(name)

    def differs(self, name, got, contract):
        """The contract says something else than the line: the contract's word is what must be shown.

        docs/behaviour.md tells why, in the row of this id.
        """
        assert got == contract, f"{self.id}: {name}"
        assert contract != self._expect[name]
        self.left.discard(name)
