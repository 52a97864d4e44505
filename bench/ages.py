"""The benchmark's turns at three ages: all known, one moment later, all new.

A pack remembers the short texts that it read last, and conversations come back with one message more: so the honest
figure lies between the same turn again and a turn of which nobody has seen a word.
"""

import itertools
import random
from collections.abc import Callable
from dataclasses import replace

from planner.turn import Citation, Draft, Message, Turn

_NAMES = "岚澜筠芷蘅沅湄晗昱暄煦珩琮瑾瑜璟皓睿砚祺禾稷竹笙筱箬簌绮缇缨翎翊聆舒芃芊苒茉茗荔荷莘莞莹菀菁萱葭蓁蓉蔓蕊薇"


class Renewer:
    """Words texts anew: another number for each number of a passage, another name before what people write."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._names = itertools.cycle(a + b for a in _NAMES for b in _NAMES)

    def later(self, turn: Turn) -> Turn:
        """Give the turn a moment later: the newest message and the draft are new, and every other passage."""
        conversation = turn.conversation
        messages = (*conversation.messages[:-1], self._said(conversation.messages[-1]))
        draft = self._drafted(_draft(turn))
        passages = tuple(self._cited(c) if n % 2 else c for n, c in enumerate(draft.citations))
        return replace(
            turn,
            conversation=replace(conversation, messages=messages),
            draft=replace(draft, citations=passages),
        )

    def new(self, turn: Turn) -> Turn:
        """Give a turn of which no text was read before."""
        messages = tuple(self._said(m) for m in turn.conversation.messages)
        draft = self._drafted(_draft(turn))
        passages = tuple(self._cited(c) for c in draft.citations)
        return replace(
            turn,
            conversation=replace(turn.conversation, messages=messages),
            draft=replace(draft, citations=passages),
        )

    def _said(self, message: Message) -> Message:
        return replace(message, text=f"{next(self._names)}，{message.text}")

    def _drafted(self, draft: Draft) -> Draft:
        return replace(draft, text=f"{next(self._names)}，{draft.text}")

    def _cited(self, citation: Citation) -> Citation:
        if not any(map(str.isdecimal, citation.text)):
            return replace(citation, text=f"{next(self._names)}，{citation.text}")
        return replace(citation, text="".join(map(self._digit, citation.text)))

    def _digit(self, char: str) -> str:
        return self._random.choice("123456789") if char.isascii() and char.isdigit() else char


def _draft(turn: Turn) -> Draft:
    assert turn.draft is not None  # noqa: S101  # the benchmark's turns have drafts
    return turn.draft


def ages() -> dict[str, Callable[[Turn], Turn]]:
    """Give a name and a way to make each age."""
    renewer = Renewer()
    return {"again": lambda turn: turn, "a moment later": renewer.later, "all new": renewer.new}
