"""Stored replies for the audit's tests, and an engine that judges in this process."""

import json

from gateway.audit.run import carry_out, prepare
from gateway.audit.shard import judge_shard

PRICE = {"id": "p", "text": "云栖湾 8-1203 挂牌价 315 万，建筑面积 104 平米，朝南。", "subject": "云栖湾 8-1203"}
FACTS = [
    # asked, said, whether a person called it right
    ("这套多大面积", "建筑面积104平米。", True),
    ("这套多大面积", "建筑面积140平米。", False),
    ("朝哪个方向", "这套朝南。", True),
    ("朝哪个方向", "这套朝北。", False),
    ("挂牌价多少", "挂牌价315万。", True),
    ("挂牌价多少", "挂牌价351万。", False),
    ("谢谢", "不客气。", None),
]


def turn(number, asked="这套多大面积", said="建筑面积104平米。", **draft):
    at = "2026-09-14T10:00:00+08:00"
    return {
        "id": f"t-{number}",
        "now": at,
        "conversation": {
            "id": f"c-{number}",
            "chatType": "private",
            "subject": PRICE["subject"],
            "messages": [{"id": "m-1", "role": "customer", "text": asked, "at": at}],
        },
        "draft": {"text": said, "citations": [PRICE], "agentId": "a-1", **draft},
    }


def rows(count):
    for number in range(count):
        asked, said, right = FACTS[number % len(FACTS)]
        yield {"turn": turn(number, asked, said)} | ({} if right is None else {"right": right})


def write(path, entries):
    path.write_text("".join(e if isinstance(e, str) else json.dumps(e, ensure_ascii=False) + "\n" for e in entries))
    return str(path)


def here(shards, rules, workers):
    """Judge in this process, one shard after the other."""
    for shard in shards:
        yield judge_shard(shard, rules)


def audited(given, out, rules, shard_rows=10):
    """Plan an audit and carry it out."""
    planned = prepare([given] if isinstance(given, str) else given, out, rules, shard_rows)
    return carry_out(planned, here, 1)
