"""What the Latin words of a fact sheet are called in Chinese: `dryer` is 烘干机, `under offer` 有人出价.

A fact may stand in one language and be told in the other. Concepts know the words of their own fields; the glossary
knows everything else that fields, values and English documents name. It says what a word means, never whether it holds.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from planner.pack import Pack, PackError

_WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z][a-z']*|[A-Z]+|\d+")
_SAYS_NO = re.compile("[不没未无非]")
_LONGEST = 4
_MANY = 60


@dataclass(frozen=True, slots=True)
class Glossary:
    """Chinese words by Latin words, lower case and single spaces, one to four words long."""

    words: Mapping[str, tuple[str, ...]]

    def found(self, text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Give the Latin words of a text or a key (`underOffer`) with their Chinese ones, the longest phrase first.

        A word that the glossary does not know comes with no Chinese words.
        """
        words = [m.group().lower() for m in _WORD.finditer(text)][:_MANY]
        at = 0
        while at < len(words):
            sizes = (n for n in range(min(_LONGEST, len(words) - at), 1, -1) if self.of(" ".join(words[at : at + n])))
            size = next(sizes, 1)
            yield words[at], self.of(" ".join(words[at : at + size]))
            at += size

    def of(self, word: str) -> tuple[str, ...]:
        """Give the Chinese words of one Latin word or phrase; a plural is its singular."""
        singular = word[:-3] + "y" if word.endswith("ies") else word.removesuffix("es")
        forms = (word, word.removesuffix("s"), singular)
        return next((self.words[form] for form in forms if form in self.words), ())

    def spoken(self, text: str) -> str:
        """Give the first Chinese word of each Latin word of a text, "" when it knows none of them."""
        return "".join(chinese[0] for _, chinese in self.found(text) if chinese)

    def label(self, key: str) -> str:
        """Give what a field is called; a name that says no would turn its value around (金融未结清：无)."""
        named = (next((w for w in chinese if not _SAYS_NO.search(w)), "") for _, chinese in self.found(key))
        return "".join(named)

    def all_of(self, text: str) -> str:
        """Give every Chinese word of the Latin words of a text, apart from each other."""
        return " ".join(word for _, chinese in self.found(text) for word in chinese)


def glossary_of(pack: Pack) -> Glossary:
    """Read a pack's glossary; empty when it has none. Raises PackError when it is not lists of words by words."""
    data = pack.sections.get("glossary", {})
    if not isinstance(data, Mapping):
        raise PackError(f"pack {pack.name}: glossary: must map Latin words to lists of Chinese words")
    for word, chinese in data.items():
        if not isinstance(chinese, list) or not chinese or not all(isinstance(c, str) and c for c in chinese):
            raise PackError(f"pack {pack.name}: glossary.{word}: must be a list of words")
    return Glossary({str(word).lower(): tuple(chinese) for word, chinese in data.items()})
