"""A read text with the words of facts in it, found once for each pack."""

from planner.pack import Pack
from planner.reading import ReadText
from verifier.lexicon import lexicon_of
from verifier.statements import Scanned


def scanned_of(read: ReadText, pack: Pack) -> Scanned:
    """Give a text with the hits of a pack's lexicon, the source of all its statements."""
    return read.once(_scan, pack)


def _scan(read: ReadText, pack: Pack) -> Scanned:
    return Scanned(read, lexicon_of(pack))
