"""Any number of stored replies, no two alike: the benchmark's drafts and those of the sets, with other figures and names.

Every digit from 2 to 9 of a row's texts becomes another one, the same everywhere in the row, so that a figure and its
source still agree where they did; the customer and the agent say a name that nobody said before.
"""

import copy
import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bench.sets import ROOT, draft_files
from bench.turns import bodies

SETS = ("set1", "set2", "set4")
GROUP = 10_000
_SURNAMES = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜"
_NAMES = "岚澜筠芷蘅沅湄晗昱暄煦珩琮瑾瑜璟皓睿砚祺禾稷竹笙筱箬簌绮缇缨翎翊聆舒芃芊苒茉茗荔荷莘莞莹菀菁萱葭蓁蓉蔓蕊薇"
Json = dict[str, Any]


def templates() -> list[tuple[Json, bool | None]]:
    """Give turns with what is known about their drafts: right, wrong, or nothing."""
    found: list[tuple[Json, bool | None]] = [(_dated(body), None) for body in bodies()]
    for file in draft_files([ROOT / "eval" / name for name in SETS]):
        for line in file.read_text("utf-8").splitlines():
            row = json.loads(line)
            found.append((row["turn"], not row["expect"].get("fails")))
    return found


def _dated(body: Json) -> Json:
    return body | {"now": body["conversation"]["messages"][-1]["at"]}


def replies(count: int) -> Iterator[tuple[str, bool | None]]:
    """Make so many rows, always the same ones: the turn as JSON, and its label."""
    known = templates()
    for number in range(count):
        turn, right = known[number % len(known)]
        yield json.dumps(_changed(copy.deepcopy(turn), number), ensure_ascii=False), right


def _changed(turn: Json, number: int) -> Json:
    chance = random.Random(number)
    others = list("23456789")
    chance.shuffle(others)
    table = str.maketrans("23456789", "".join(others))
    name = chance.choice(_SURNAMES) + "".join(chance.choices(_NAMES, k=2))
    turn["id"] = f"r-{number}"
    turn["conversation"]["id"] = f"c-{number}"
    draft, messages = turn["draft"], turn["conversation"]["messages"]
    for part in (draft, *messages, *draft.get("citations", []), *draft.get("toolResults", [])):
        if isinstance(part.get("text"), str):
            part["text"] = part["text"].translate(table)
    for declared in draft.get("grounding", []):
        for field in ("quote", "evidenceQuote"):
            if field in declared:
                declared[field] = declared[field].translate(table)
    if messages:
        messages[-1]["text"] = f"我姓{name[0]}，{messages[-1]['text']}"
    draft["text"] = f"{name}您好，{draft['text']}"
    return turn


def write(file: Path, count: int) -> None:
    """Write rows as Parquet, some ten thousand at a time; the file appears whole or not at all."""
    schema = pa.schema([("turn", pa.string()), ("right", pa.bool_())])
    half = file.with_suffix(".half")
    rows = replies(count)
    with pq.ParquetWriter(half, schema, compression="zstd") as out:
        while group := list(itertools.islice(rows, GROUP)):
            columns = list(zip(*group, strict=True))
            out.write_table(pa.table({"turn": columns[0], "right": columns[1]}, schema=schema))
    half.replace(file)
