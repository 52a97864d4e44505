"""Which rows of tool data a clause speaks of: B户型 of two layouts, the front of two axles, the loan over 36 months.

A family is a set of branches that stand side by side and tell the same of different things. A clause that names some
of them is judged by those alone.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from verifier.leaves import Leaf
from verifier.lexicon import Lexicon
from verifier.statements import Statement

_LATIN = re.compile(r"[a-z]+|\d+(?:\.\d+)?")
_CHINESE = re.compile("[\u4e00-\u9fff]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_INDEX = re.compile(r"/\d+(?:/|$)")
_EACH = re.compile(r"都|全|各|每|皆|均|\b(?:all|both|every|each|any)\b")
# Closed class: the sides of a thing.
_SIDES = {"front": "前", "fr": "前", "rear": "后", "back": "后", "left": "左", "right": "右"}
_SIDE = re.compile(
    r"([前后左右])(?=[面头轮排轴桥胎杠边座门侧部两俩]|$)|(?<![a-z])(front|fr|rear|back|left|right)(?![a-z])"
)
# Beyond this many rows nobody means one by a number.
MAX_ROWS = 60
_LARGEST_NAME = 10_000


@dataclass(frozen=True, slots=True)
class Branch:
    """One branch of a family: where it begins, the words that only it is called by, and the parts that it is."""

    pointer: str
    names: frozenset[str]
    parts: frozenset[str]

    def holds(self, path: str) -> bool:
        """Whether a leaf stands in this branch."""
        return path == self.pointer or path.startswith(self.pointer + "/")


Family = tuple[Branch, ...]


def families(found: Sequence[Leaf], lexicon: Lexicon) -> tuple[Family, ...]:
    """Find the families of some tool data, the outermost first."""
    return tuple(family for children in _children(found) if (family := _family(children, lexicon)))


def fields(found: Sequence[Leaf], lexicon: Lexicon) -> tuple[Family, ...]:
    """Find the fields that stand side by side and tell the same kind of value (front: true, rear: false)."""
    kept = []
    for children in _children(found):
        values = [leaves[0].value for pointer, leaves in children.items() if leaves[0].pointer == pointer]
        keys = {pointer: pointer.rpartition("/")[2] for pointer in children}
        if (
            len(values) == len(children)
            and len({type(v) for v in values}) == 1
            and not any(map(str.isdigit, keys.values()))
        ):
            kept.append(_distinct(keys, lexicon))
    return tuple(family for family in kept if family)


def half_told(found: Iterable[Family], claim: Statement, paths: Collection[str]) -> bool:
    """Whether a clause names a branch or field beside those that some paths lead to, and none of them leads there."""
    return any(
        not any(branch.holds(path) for path in paths)
        for family in found
        if any(branch.holds(path) for branch in family for path in paths)
        for branch in meant(family, claim)
    )


def meant(family: Family, claim: Statement) -> tuple[Branch, ...]:
    """Give the branches that a clause names; empty when it names none."""
    words = words_of(claim.text) | {f"{v:f}" for a in claim.amounts if isinstance(v := a.quantity.value, Decimal)}
    return tuple(b for b in family if b.names & words or b.parts & claim.parts)


def each_named(found: Iterable[Family], claim: Statement) -> tuple[tuple[Branch, ...], ...]:
    """Give the branches of which a clause says the same (交强和商业都到四月), family by family."""
    if not _EACH.search(claim.text):
        return ()
    return tuple(named for family in found if len(named := meant(family, claim)) > 1)


def outside(found: Iterable[Family], claim: Statement, asked: Sequence[Statement]) -> tuple[Branch, ...]:
    """Give the branches that a clause does not speak of, because it (or the question) names others of their family."""
    if _EACH.search(claim.text):
        return ()
    return tuple(branch for family in found for branch in _others(family, (claim, *asked)))


def _others(family: Family, said: Sequence[Statement]) -> tuple[Branch, ...]:
    named = next((some for statement in said if (some := meant(family, statement))), ())
    return tuple(b for b in family if b not in named) if named else ()


def _children(found: Sequence[Leaf]) -> Iterator[Mapping[str, list[Leaf]]]:
    """Give for each object or list its branches with their leaves."""
    tree: dict[str, dict[str, list[Leaf]]] = {}
    for leaf in found:
        steps = leaf.pointer.split("/")
        for depth in range(1, len(steps)):
            parent, own = "/".join(steps[:depth]), "/".join(steps[: depth + 1])
            tree.setdefault(parent, {}).setdefault(own, []).append(leaf)
    return iter([children for children in tree.values() if 1 < len(children) <= MAX_ROWS])


def _family(children: Mapping[str, list[Leaf]], lexicon: Lexicon) -> Family:
    keys = {pointer: pointer.rpartition("/")[2] for pointer in children}
    numbered = all(key.isdigit() for key in keys.values())
    deep = all(leaf.pointer != pointer for pointer, leaves in children.items() for leaf in leaves)
    if numbered and deep and all(leaves[0].group for leaves in children.values()):
        return _distinct({pointer: _row_name(leaves, children) for pointer, leaves in children.items()}, lexicon)
    if (numbered and any(len(key) > 1 for key in keys.values())) or (deep and _alike(children, tuple(keys.values()))):
        return _distinct(keys, lexicon)
    return ()


def _row_name(leaves: Sequence[Leaf], rows: Mapping[str, list[Leaf]]) -> str:
    """Give the value that tells a list row from the others: the first text that differs in all rows, or a number."""
    told = [leaf for leaf in leaves if not isinstance(leaf.value, bool) and leaf.value is not None]
    for wanted in (str, int):
        for leaf in told:
            if isinstance(leaf.value, wanted) and _differs(leaf.path, rows) and _short(leaf.value):
                return str(leaf.value)
    return ""


def _short(value: Any) -> bool:
    return not isinstance(value, int) or 0 < value < _LARGEST_NAME


def _differs(path: tuple[str, ...], rows: Mapping[str, list[Leaf]]) -> bool:
    values = [str(leaf.value) for leaves in rows.values() for leaf in leaves if leaf.path == path]
    return len(values) == len(set(values)) == len(rows)


def _alike(children: Mapping[str, list[Leaf]], keys: Sequence[str]) -> bool:
    """Whether the branches tell the same of different things: the same fields, or names of one kind (交强险, 商业险)."""
    told = [{leaf.pointer.removeprefix(pointer) for leaf in leaves} for pointer, leaves in children.items()]
    fields = [{field for field in some if not _INDEX.match(field)} for some in told]
    ends = {re.split(r"[\s_-]", key.lower())[-1] if key.isascii() else key[-1] for key in keys}
    return bool(set.intersection(*fields)) or len(ends) == 1


def _distinct(names: Mapping[str, str], lexicon: Lexicon) -> Family:
    words = {
        pointer: words_of(f"{name} {lexicon.glossary.label(name)}".replace("_", " ").lower())
        for pointer, name in names.items()
    }
    parts = {pointer: _parts(name, lexicon) for pointer, name in names.items()}
    found = []
    for pointer in names:
        rest = frozenset().union(*(words[other] for other in names if other != pointer))
        shared = frozenset().union(*(parts[other] for other in names if other != pointer))
        found.append(Branch(pointer, words[pointer] - rest, parts[pointer] - shared))
    return tuple(found) if sum(bool(b.names or b.parts) for b in found) > 1 else ()


def _parts(name: str, lexicon: Lexicon) -> frozenset[str]:
    hits = (h.entry for h in lexicon.scan(_spoken(name, lexicon)) if h.entry.kind == "concept")
    return frozenset(f"{e.id}:{e.option}" for e in hits if lexicon.concepts[e.id].part)


def _spoken(name: str, lexicon: Lexicon) -> str:
    """Give a name as words, with what it is called in Chinese: frontLeft as front left."""
    return f"{_CAMEL.sub(' ', name)} {lexicon.glossary.label(name)}".replace("_", " ").lower()


def sided(family: Family) -> bool:
    """Whether each of a family is a side (front, rear): a number of one is none of the other."""
    return all(b.parts or any(name.startswith("=") for name in b.names) for b in family)


def words_of(text: str) -> frozenset[str]:
    """Give pairs of Chinese characters, Latin words, numbers, and sides by one name (前头, front)."""
    pairs = (run[i : i + 2] for run in _CHINESE.findall(text) for i in range(len(run) - 1))
    sides = ("=" + _SIDES.get(m[2], m[1]) for m in _SIDE.finditer(text))
    return frozenset((*_LATIN.findall(text), *pairs, *sides))
