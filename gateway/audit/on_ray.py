"""The cluster engine: the same shard function on Ray Data.

Every node must see the files and the packs under the same names; what it judged comes back, and the process that started
the audit writes it down.
"""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from gateway.audit.errors import AuditError, missing_extra
from gateway.audit.inputs import Shard
from gateway.audit.judging import Rules
from gateway.audit.shard import Judgements, judge_shard


def on_ray(shards: Iterable[Shard], rules: Rules, workers: int) -> Iterator[Judgements]:
    """Judge shards on a Ray cluster (`RAY_ADDRESS`), else on workers of this machine; gives each as it is done.

    Raises AuditError when the extra is not installed.
    """
    try:
        import ray
    except ImportError as error:
        raise missing_extra("ray") from error
    asked = [{"shard": json.dumps(asdict(shard))} for shard in shards]
    if not asked:
        return
    ours = not ray.is_initialized()
    if ours:
        ray.init(log_to_driver=False, include_dashboard=False, **_size(workers))
    try:
        # One shard is one block, so that a worker never holds more than one.
        pieces = ray.data.from_items(asked, override_num_blocks=len(asked))
        judged = pieces.map_batches(
            _Judge, fn_constructor_args=(rules,), batch_size=1, batch_format="pandas", concurrency=workers
        )
        for row in judged.iter_rows():
            if row["error"]:
                raise AuditError(str(row["error"]))
            yield Judgements(int(row["number"]), bytes(row["parquet"]), int(row["rows"]), int(row["bad"]))
    finally:
        if ours:
            ray.shutdown()


def _size(workers: int) -> dict[str, Any]:
    return {} if os.environ.get("RAY_ADDRESS") else {"num_cpus": workers + 1}


class _Judge:
    """A worker of the cluster: it keeps its packs between shards."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    def __call__(self, batch: Any) -> dict[str, list[Any]]:
        answers = [self._answer(Shard(**json.loads(text))) for text in batch["shard"]]
        return {name: [answer[name] for answer in answers] for name in ("number", "parquet", "rows", "bad", "error")}

    def _answer(self, shard: Shard) -> dict[str, Any]:
        """Judge a shard; what is wrong here is told as a value, so that its words reach the person who started it."""
        try:
            done = judge_shard(shard, self._rules)
        except AuditError as error:
            return {"number": shard.number, "parquet": b"", "rows": 0, "bad": 0, "error": str(error)}
        return {"number": done.number, "parquet": done.parquet, "rows": done.rows, "bad": done.bad, "error": ""}
