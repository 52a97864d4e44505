"""The role word that stands beside a number, with nothing but small words between."""

import re

from planner.grammar import Marks, Role

# What may stand between a role and its number: 总价这边登记的是398万.
FILL = frozenset(
    "是为约大概在才要只有了到就共都也能将：: 的差不多登记写标称出至少最低高过这边现每个月一年目前给价还剩余实际显示\"'"
)
_ENGLISH_FILL = re.compile(r" (?:is|was|of|at|about|around|only|just|reads|now|for)(?: about| around| only| just)? $")


def role_beside(norm: str, marks: Marks, start: int, end: int) -> Role | None:
    """Find the role of the number at `norm[start:end]`: before it (总价350), else right behind it (350的预算)."""
    return _before(norm, marks, start) or _behind(norm, marks, end)


def _before(norm: str, marks: Marks, start: int) -> Role | None:
    english = _ENGLISH_FILL.search(norm, max(0, start - 18), start) if norm[start - 1 : start] == " " else None
    start = english.start() if english else start
    for at in range(start, max(0, start - 9), -1):
        if at in marks.roles:
            return marks.roles[at]
        if norm[at - 1] not in FILL:
            return None
    return None


def _behind(norm: str, marks: Marks, end: int) -> Role | None:
    role = marks.heads.get(end + (norm[end : end + 1] == "的"))
    return role[1] if role else None
