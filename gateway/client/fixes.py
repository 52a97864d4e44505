"""What the gate asks an agent to change, one sentence for each kind of fix action: words for a person or a prompt."""

from collections.abc import Mapping
from types import MappingProxyType

FIX_ACTIONS: Mapping[str, str] = MappingProxyType(
    {
        "ground_claim": "declare the passage that says it, mark it as to be checked in the same clause, or leave it out",
        "correct_value": "use the printed value; the detail lists the nearest ones",
        "remove_claim": "leave the claim out",
        "mark_pending": "say in the same clause that you will check",
        "drop_question": "do not ask it",
        "add_handoff": "say that a person takes over now",
        "set_requires_human": "set `requiresHuman` to true",
        "remove_leak": "take the internal or private words out",
        "shorten": "make it shorter",
        "answer_question": "answer what was asked",
    }
)
