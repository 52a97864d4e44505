"""Texts as they really are: characters that nobody sees get a visible mark."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_NAMED = {"\n": "⏎", "\t": "⇥", "\r": "CR", "\u3000": "□"}  # the last one is the wide blank
_PLAIN = " \n"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text; `mark` is what stands for an invisible one, `title` its name. `breaks`: a line ends here."""

    text: str
    mark: str = ""
    title: str = ""
    breaks: bool = False


def marked(text: str) -> list[Piece]:
    """Cut a text into plain stretches and marked characters; the pieces' texts joined are the text."""
    return _cut(_looked_at(text))


def unveil(text: str) -> list[Piece]:
    """Cut a text likewise, but mark only what nobody could see: line ends and blanks stay as they are."""
    return _cut((char, char not in _PLAIN and is_hidden(char)) for char in text)


def _cut(looked_at: Iterable[tuple[str, bool]]) -> list[Piece]:
    pieces: list[Piece] = []
    plain: list[str] = []
    for char, odd in looked_at:
        if not odd:
            plain.append(char)
            continue
        if plain:
            pieces.append(Piece("".join(plain)))
            plain = []
        pieces.append(_mark(char))
    if plain:
        pieces.append(Piece("".join(plain)))
    return pieces


def hidden(text: str) -> int:
    """Count the characters that a reader cannot see, line ends and plain blanks aside."""
    return sum(1 for char in text if char not in _PLAIN and is_hidden(char))


def is_hidden(char: str) -> bool:
    """Say whether a character shows nothing, or changes how others are shown."""
    return unicodedata.category(char) in ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp") or (
        unicodedata.category(char) == "Zs" and char != " "
    )


def _looked_at(text: str) -> Iterator[tuple[str, bool]]:
    """A plain blank is odd only beside another blank or at an end of a line, where nobody sees it."""
    for index, char in enumerate(text):
        if char == " ":
            before = text[index - 1] if index else "\n"
            after = text[index + 1] if index + 1 < len(text) else "\n"
            yield char, before in _PLAIN or after in _PLAIN
        else:
            yield char, is_hidden(char)


def _mark(char: str) -> Piece:
    if char == " ":
        return Piece(char, "·", "SPACE")
    code = f"U+{ord(char):04X}"
    title = f"{code} {unicodedata.name(char, '')}".strip()
    return Piece(char, _NAMED.get(char, code), title, breaks=char == "\n")
