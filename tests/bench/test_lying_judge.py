"""The bench of the worst judge counts what it says."""

import json
from pathlib import Path

from bench.lying_judge import tried
from bench.sets import samples

VIEW = "客厅正对中央花园，前方空旷"


def lines(tmp_path: Path, *rows):
    file = tmp_path / "drafts.jsonl"
    said = {"id": "m", "role": "customer", "text": "客厅怎么样", "at": "2026-05-20T10:00:00+08:00"}
    turns = [
        {
            "id": f"t{n}",
            "now": said["at"],
            "conversation": {"id": "c", "chatType": "private", "subject": "青枫里", "messages": [said]},
            "draft": {"text": text, "citations": [{"id": "c1", "text": evidence}]},
        }
        for n, (text, evidence, _) in enumerate(rows)
    ]
    told = [
        {"turn": turn, "expect": {"fails": [] if row[2] else [{"clause": row[0]}]}}
        for turn, row in zip(turns, rows, strict=True)
    ]
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in told), "utf-8")
    return [list(tried(sample)) for sample in samples(file)]


def test_what_is_counted(tmp_path) -> None:
    found = lines(
        tmp_path,
        ("客厅视野很开阔。", VIEW, True),
        ("客厅视野很开阔。", "厨房为封闭式", False),
        ("客厅面宽5.2米。", VIEW, False),
        ("客厅正对中央花园。", VIEW, True),
    )
    assert found == [["good", "open_good", "won_good"], ["faulty", "open_faulty"], ["faulty"], ["good"]]
