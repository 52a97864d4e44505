"""Evaluation sets become labelled files that `draftgate calibrate` takes."""

import json

from bench.labelled import labelled
from gateway.calibration.labelled import read_labelled
from tests.bench.test_autoshare import row


def test_a_draft_without_faults_is_right(tmp_path):
    file = tmp_path / "drafts.jsonl"
    rows = [row("建面98平。", "多大", "建筑面积98平米"), row("108平。", "多大", "建筑面积98平米", fault="108平")]
    rows[1]["expect"]["scenarios"] = ["pricing"]
    file.write_text("\n".join(json.dumps(r, ensure_ascii=False) for r in rows), "utf-8")
    found = list(labelled(file))
    read = read_labelled(json.dumps(r, ensure_ascii=False).encode() for r in found)
    assert [(r.right, r.scenario) for r in read] == [(True, None), (False, "pricing")]
