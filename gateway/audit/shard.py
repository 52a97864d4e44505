"""The shard function: the same on one machine and on a cluster, with nothing from outside but its file and the packs."""

import functools
from dataclasses import dataclass
from typing import Any

from gateway.audit.inputs import Shard, rows_of
from gateway.audit.judging import Rules, judge
from gateway.audit.stored import id_of, read_stored
from gateway.audit.table import shard_bytes
from gateway.jsonio import InputError
from gateway.packs import PackShelf


@dataclass(frozen=True, slots=True)
class Judgements:
    """What became of a shard: its rows as Parquet, how many there are, and how many could not be judged."""

    number: int
    parquet: bytes
    rows: int
    bad: int


def judge_shard(shard: Shard, rules: Rules) -> Judgements:
    """Judge every row of a shard; a bad one is listed with its line and field, the others go on."""
    shelf = _shelf(rules)
    rows: list[dict[str, Any]] = []
    bad: list[dict[str, Any]] = []
    for line, raw in rows_of(shard):
        place = {"file": shard.file, "line": line}
        try:
            rows.append(place | judge(read_stored(raw), shelf, rules.pass_score))
        except InputError as error:
            bad.append(place | {"id": id_of(raw), "field": error.field, "message": error.message})
    return Judgements(shard.number, shard_bytes(rows, bad), len(rows), len(bad))


@functools.lru_cache(maxsize=4)  # a worker loads its packs once
def _shelf(rules: Rules) -> PackShelf:
    return rules.checked_shelf()
