"""`draftgate calibrate`: labelled lines in, a report and a table out; a bad line refuses the run by name."""

import json
import re

import pytest
from typer.testing import CliRunner

from gateway.calibration.labelled import BadLinesError, look, read_labelled
from gateway.calibration.seen import Fate
from gateway.cli import app
from gateway.packs import PackShelf
from tests.gateway.test_contract import a_turn

NOBODY = {"text": "我找同事帮您看", "requiresHuman": True}


def turn(number, text=None, **draft):
    made = a_turn() | {"id": f"t-{number}"}
    made["conversation"] = made["conversation"] | {"id": f"c-{number}", "subject": f"松月里 {number}-1602"}
    given = {"text": f"建筑面积{60 + number}平。" if text is None else text}
    record = {"id": "r", "text": f"建筑面积{60 + number}平，朝南。", "subject": f"松月里 {number}-1602"}
    asked = {"id": "m", "role": "customer", "text": "多大面积", "at": "2026-11-30T09:59:00+08:00"}
    made["conversation"]["messages"] = [asked]
    return made | {"draft": given | {"citations": [record]} | draft}


def labelled(total=8):
    rows = [{"turn": turn(n), "right": True} for n in range(total)]
    return rows + [{"turn": turn(n + 500, f"建筑面积{n}平。"), "right": False} for n in range(total // 2)]


def encoded(*rows):
    return [row if isinstance(row, bytes) else json.dumps(row, ensure_ascii=False).encode() for row in rows]


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DRAFTGATE_DATABASE_URL", f"sqlite:///{tmp_path / 'gate.sqlite3'}")

    def make(*rows):
        path = tmp_path / "turns.jsonl"
        path.write_bytes(b"\n".join(encoded(*rows)))
        return path

    return make


def run(*words):
    return CliRunner().invoke(app, ["calibrate", *map(str, words)], env={"COLUMNS": "200"})


EXPECT = {"hardOk": True, "fails": [], "mustNotFlag": [], "scenarios": ["pricing"], "ignoreChecks": []}
FAULT = {"clause": "x", "anyOf": ["fact_evidence"], "why": "y"}
GOOD_LINES = [
    ({"turn": turn(1), "right": True}, (True, None)),
    ({"turn": turn(1), "right": False, "scenario": "financing"}, (False, "financing")),
    ({"turn": turn(1), "expect": EXPECT, "class": "z", "confidence": "firm"}, (True, "pricing")),
    ({"turn": turn(1), "expect": EXPECT | {"fails": [FAULT], "scenarios": []}}, (False, None)),
]


@pytest.mark.parametrize(("line", "told"), GOOD_LINES)
def test_both_forms_are_read(line, told):
    [row] = read_labelled(encoded(line))
    assert (row.right, row.scenario) == told


BAD_LINES = [
    (b"not json", "body"),
    (b"[]", "must be an object"),
    (b'{"right": true, "right": false}', "right"),
    ({"turn": turn(1)}, "right: is missing"),
    ({"turn": turn(1), "right": "yes"}, "right: must be true or false"),
    ({"turn": turn(1), "right": 1}, "right: must be true or false"),
    ({"turn": turn(1), "right": True, "rigth": True}, "rigth: unknown field"),
    ({"turn": turn(1), "right": True, "scenario": 3}, "scenario"),
    ({"right": True}, "turn: is missing"),
    ({"turn": [], "right": True}, "turn: must be an object"),
    ({"turn": turn(1) | {"pak": "x"}, "right": True}, "turn.pak: unknown field"),
    ({"turn": turn(1, txt="x"), "right": True}, "turn.draft.txt: unknown field"),
    ({"turn": {k: v for k, v in turn(1).items() if k != "now"}, "right": True}, "turn.now: is missing"),
    ({"turn": {k: v for k, v in turn(1).items() if k != "draft"}, "right": True}, "turn.draft: is missing"),
    ({"turn": turn(1), "expect": {}}, "expect.fails"),
    ({"turn": turn(1), "expect": {"fails": 0}}, "expect.fails"),
    ({"turn": turn(1), "expect": EXPECT | {"scenarios": [1]}}, "expect.scenarios"),
    ({"turn": turn(1), "expect": EXPECT, "right": True}, "right: unknown field"),
]


@pytest.mark.parametrize(("line", "named"), BAD_LINES)
def test_a_bad_line_is_named_and_refuses_the_run(line, named):
    good = {"turn": turn(2), "right": True}
    with pytest.raises(BadLinesError, match=r"line 3: ") as error:
        read_labelled(encoded(good, b"", line, good))
    assert named in error.value.problems[0] and len(error.value.problems) == 1


def test_all_bad_lines_are_named_and_nothing_is_written(write, tmp_path):
    file = write({"turn": turn(1)}, {"turn": turn(2), "right": True}, b"{")
    result = run(file, "--report", tmp_path / "r.html")
    assert result.exit_code == 2 and not (tmp_path / "r.html").exists()
    assert "line 1: right" in result.output and "line 3: body" in result.output and "line 2" not in result.output


def test_an_empty_file_and_an_unknown_pack_are_told(write, tmp_path):
    assert "holds no turn" in run(write(b"")).output
    result = run(write({"turn": turn(1) | {"pack": "boats"}, "right": True}))
    assert result.exit_code == 2 and "line 1: turn.pack" in result.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "one of them"),
        (["--show", "--forget"], "one of them"),
        (["nothing.jsonl"], "no such file"),
        (["turns.jsonl", "--send-from", "high"], "--apply"),
        (["turns.jsonl", "--apply", "--send-from", "highest"], "low, middle, high"),
        (["turns.jsonl", "--report", "no/such/folder/r.html"], "no such folder"),
    ],
)
def test_usage_is_told_in_one_line(write, words, said):
    write(*labelled(1))
    result = run(*words)
    assert result.exit_code == 2 and said in result.output


def test_a_broken_pack_stops_the_run(write, tmp_path, monkeypatch):
    (tmp_path / "packs" / "boats").mkdir(parents=True)
    (tmp_path / "packs" / "boats" / "pack.yaml").write_text("name: [", "utf-8")
    monkeypatch.setenv("DRAFTGATE_PACKS_DIR", str(tmp_path / "packs"))
    result = run(write(*labelled(1)))
    assert result.exit_code == 2 and "boats" in result.output and "too few" not in result.output


def test_what_becomes_of_turns():
    """A supported answer is sent, a wrong number refused, a handoff a person's, thanks unanswered."""
    thanks = turn(4, "不客气。")
    thanks["conversation"]["messages"][0]["text"] = "好的，谢谢"
    rows = [turn(1), turn(2, "建筑面积300平。"), turn(3, **NOBODY), thanks]
    seen = list(look(read_labelled(encoded(*({"turn": t, "right": True} for t in rows))), PackShelf()))
    assert [row.fate for row in seen[:3]] == [Fate.SENT, Fate.REFUSED, Fate.PERSON]
    assert seen[3].fate is Fate.SILENT
    assert (seen[0].question, seen[0].scene, seen[0].line) == ("多大面积", "untagged", 1)
    assert seen[0].claims[0].evidence and seen[0].rules_version


def test_too_few_labels_give_a_report_and_no_threshold(write, tmp_path):
    result = run(write(*labelled()), "--report", tmp_path / "r.html")
    assert result.exit_code == 1 and "too few labels" in result.output and "12 rows" in result.output
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "标注太少" in page and "Too few labels" in page and "turns.jsonl" in page
    assert re.search(r"<th>sha256</th><td><code>[0-9a-f]{64}</code>", page)
    assert run(tmp_path / "turns.jsonl", "--apply").exit_code == 1
    assert "no calibration holds" in run("--show").output


@pytest.fixture
def many(write):
    """Enough right answers for a loose aim."""
    return write(*labelled(60))


def test_a_threshold_is_applied_shown_and_forgotten(many, tmp_path):
    result = run(many, "--max-wrong", "0.3", "--report", tmp_path / "r.html", "--apply", "--send-from", "high")
    assert result.exit_code == 0, result.output
    assert "applied: high" in result.output and "from band high" in result.output
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "高门槛" in page and page.count("<svg") == 3 and "<script" not in page and "http" not in page
    shown = run("--show").output
    assert "turns.jsonl" in shown and "outdated" in shown and "command line" in shown
    assert "count again" in run("--forget").output
    assert "no calibration holds" in run("--forget").output


def test_another_file_may_measure(many, tmp_path):
    """All of the first chooses; a bad line of the second refuses the run too."""
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"\n".join(encoded(*({"turn": turn(n + 200), "right": True} for n in range(12)))))
    result = run(many, "--measure", other, "--max-wrong", "0.3", "--report", tmp_path / "r.html")
    assert (
        result.exit_code == 0
        and "12/12" in result.output
        and "turns.jsonl + other.jsonl" in (page := (tmp_path / "r.html").read_text("utf-8"))
    )
    assert "choose 90 · 量 measure 12" in page and "The first file chooses" in page
    other.write_bytes(b"{}")
    result = run(many, "--measure", other)
    assert result.exit_code == 2 and "other.jsonl: line 1: right: is missing" in result.output


def test_every_picture_has_a_title_and_its_numbers_as_text(many, tmp_path):
    run(many, "--max-wrong", "0.3", "--of", "wrong", "--report", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    for picture in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        named = re.search(r'aria-labelledby="(\S+) (\S+)"', picture)
        assert f'<title id="{named[1]}">' in picture and f'<desc id="{named[2]}">' in picture
    assert "门槛和对错" in page and "prefers-color-scheme: dark" in page


def test_text_of_drafts_is_shown_as_text(write, tmp_path):
    """A label says that a draft is wrong which the rules let pass: it is listed, and its markup is no markup."""
    rows = labelled(4)
    rows.append({"turn": turn(77) | {"id": "<b>x</b>"}, "right": False})
    run(write(*rows), "--report", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "&lt;b&gt;x&lt;/b&gt;" in page and "<b>x</b>" not in page and "建筑面积137平" in page
