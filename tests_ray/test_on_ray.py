"""The audit on Ray: what two workers of a cluster judge is what this machine judges. Run by `make ray`, not by default."""

import hashlib
import os

import pytest

from gateway.audit.errors import AuditError
from gateway.audit.judging import Rules
from gateway.audit.on_ray import on_ray
from gateway.audit.pool import local
from gateway.audit.run import carry_out, prepare
from tests.gateway.audit.kit import rows, write

pytestmark = pytest.mark.filterwarnings("ignore")  # those of Ray about itself
ROWS = int(os.environ.get("RAY_ROWS", "600"))
NAMES = ("verdicts.parquet", "bad.jsonl", "manifest.json")


@pytest.fixture(scope="module")
def replies(tmp_path_factory):
    """Rows of the benchmark where many are asked for: all of them differ."""
    folder = tmp_path_factory.mktemp("ray")
    if ROWS <= 600:
        return write(folder / "in.jsonl", [*rows(ROWS), "no json\n"])
    from bench.replies import write as generate

    generate(folder / "in.parquet", ROWS)
    return str(folder / "in.parquet")


def digests(out):
    return [hashlib.sha256((out / name).read_bytes()).hexdigest() for name in NAMES]


def test_two_workers_give_the_same_bytes(replies, tmp_path):
    size = max(50, ROWS // 50)
    for name, engine in (("ray", on_ray), ("local", local)):
        carry_out(prepare([replies], tmp_path / name, Rules(), size), engine, 2)
    assert digests(tmp_path / "ray") == digests(tmp_path / "local")


def test_what_one_engine_began_the_other_ends(tmp_path):
    given = [write(tmp_path / "in.jsonl", rows(60))]
    carry_out(prepare(given, tmp_path / "whole", Rules(), 10), local, 1)
    planned = prepare(given, tmp_path / "out", Rules(), 10)

    def begun(shards, rules, workers):
        yield from list(local(shards[:2], rules, workers))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        carry_out(planned, begun, 1)
    carry_out(planned, on_ray, 2)
    assert digests(tmp_path / "out") == digests(tmp_path / "whole")


def test_a_machine_with_other_rules_is_refused(tmp_path):
    """Its verdicts must not be mixed in; the audit ends with the reason."""
    from dataclasses import replace

    planned = prepare([write(tmp_path / "in.jsonl", rows(5))], tmp_path / "out", Rules(), 10)
    other = replace(planned, rules=replace(planned.rules, expected=(("property", "0.0.1+x"),)))
    with pytest.raises(AuditError, match="other rules"):
        carry_out(other, on_ray, 1)
