"""What a message does: ask, confirm, thank, order the system about, or show nothing that can be read."""

import re
from dataclasses import dataclass
from typing import Any

from planner.lexicon import Lexicon
from planner.pack import Pack, PackError, Row, any_of
from planner.reading import Reading, ReadText

# Emoji, dingbats and punctuation say nothing beyond the words beside them.
_MUTE = "[\\s,，.。!！~～、;；…:：·—\\-\\U0001F300-\\U0001FAFF\\u2600-\\u27bf\\ufe0f\\u200d]"


# Joiners and variation selectors belong to emoji; these hide words or turn them round.
_HIDDEN = re.compile("[\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]")


class FlagRow(Row):
    """Words that give the turn a flag, such as `injection`; looked for in a whole message."""

    flag: str


@dataclass(frozen=True)
class _Talk:
    flags: Lexicon[FlagRow]
    asking: Lexicon[Row]
    ack: re.Pattern[str]
    filler: re.Pattern[str]
    agreement: re.Pattern[str]


def flags_of(text: ReadText, pack: Pack) -> list[str]:
    """Give the flags of one message of the customer, in the order of the pack's rows."""
    found = [hit.row.flag for hit in pack.derive(_talk).flags.find(text.norm)]
    if not text.norm.strip() and text.text.original.strip():
        found.append("unreadable_message")
    if text.text.hidden and _HIDDEN.search(text.text.original):
        found.append("hidden_text")
    return list(dict.fromkeys(found))


def asks(text: ReadText, pack: Pack) -> bool:
    """Whether any clause of a text is a question, with or without its mark."""
    return text.once(_asks, pack)


def _asks(text: ReadText, pack: Pack) -> bool:
    return any(clause.asked or is_question(clause.text, pack) for clause in text.clauses)


def is_question(clause: str, pack: Pack) -> bool:
    """Whether a clause asks, by its words alone."""
    return pack.derive(_talk).asking.first(clause) is not None


def only_confirms(text: ReadText, pack: Pack) -> bool:
    """Whether a message is made of thanks, confirmation and goodbye alone (emoji count, punctuation does not)."""
    return text.once(_confirms, pack)


def _confirms(text: ReadText, pack: Pack) -> bool:
    talk = pack.derive(_talk)
    return _covered(text.norm, talk.ack, talk.filler)


def only_agrees(text: ReadText, pack: Pack) -> bool:
    """Whether a message is a bare yes."""
    talk = pack.derive(_talk)
    return _covered(text.norm, talk.agreement, talk.filler)


def needs_no_reply(reading: Reading) -> bool:
    """Whether the customer only confirmed, thanked or closed; not when that answers the agent's question."""
    unanswered = reading.unanswered
    if not unanswered or not all(only_confirms(text, reading.pack) for text in unanswered):
        return False
    if all("greeting" in flags_of(text, reading.pack) for text in unanswered):
        return False
    asked = last_agent_text(reading)
    return asked is None or not asks(asked, reading.pack)


def last_agent_text(reading: Reading) -> ReadText | None:
    """Give the newest text of an agent or a person, or None."""
    last = reading.turn.conversation.last_sent
    return next((text for message, text in reversed(reading.messages) if message is last), None)


def _covered(norm: str, word: re.Pattern[str], filler: re.Pattern[str]) -> bool:
    # Longest word first, so that 好的 is not read as 好 and a stray 的.
    at, found = 0, False
    while at < len(norm):
        match = word.match(norm, at)
        found = found or match is not None
        match = match or filler.match(norm, at)
        if match is None or match.end() == at:
            return False
        at = match.end()
    return found


def _talk(pack: Pack) -> _Talk:
    acks: dict[str, Any] = pack.sections.get("acks") or {}
    stickers = any_of([*_words(pack, "acks.stickers", acks.get("stickers")), "[ok]"])
    emoji = "[\\U0001F44C\\U0001F44D\\U0001F64F\\U0001F91D\\U0001F339\\U0001F600-\\U0001F60F\\U0001F970\\u2764\\u263a\\u2714]"
    return _Talk(
        flags=Lexicon(pack.rows("flags", FlagRow)),
        asking=Lexicon(pack.rows("asking", Row)),
        ack=re.compile(f"{any_of(_words(pack, 'acks.words', acks.get('words')))}|{stickers}|{emoji}"),
        filler=re.compile(f"{any_of(_words(pack, 'acks.fillers', acks.get('fillers')))}|{_MUTE}"),
        agreement=re.compile(
            f"{any_of(_words(pack, 'agreements', pack.sections.get('agreements')))}|{stickers}|{emoji}"
        ),
    )


def _words(pack: Pack, name: str, words: Any) -> list[str]:
    if words is None:
        return ["\0"]
    if not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
        raise PackError(f"pack {pack.name}: {name}: must be a list of words")
    return words
