"""An administrator deletes a conversation's evaluation log on its page, and it is told who did it."""

from gateway import evaluation_log
from gateway.tables_log import EvaluationRow


def left(desk):
    return len(desk.service.look(lambda tx: tx.conn.execute(EvaluationRow.__table__.select()).all()))


def test_an_administrator_deletes_it_once_it_is_confirmed(desk, browser_of, held):
    held()
    boss = browser_of("boss", "admin", "店长")
    refused = boss.press("/conversations/c-1", "/forget-log")
    assert "先勾上" in refused.text and left(desk) == 1
    page = boss.press("/conversations/c-1", "/forget-log", confirm="on")
    assert "删了 1 行评估日志" in page.text and left(desk) == 0
    assert not page.has_form("/forget-log"), "there is nothing left to delete"
    assert "删除评估日志" in page.text and "删除评估日志" in boss.get("/settings/history").text


def test_others_have_no_such_button(desk, lin, held):
    held()
    assert not lin.get("/conversations/c-1").has_form("/forget-log")


def test_a_deletion_from_outside_is_told_too(desk, browser_of):
    desk.run(lambda tx: evaluation_log.forget(tx, "c-1", "command line"))
    assert "删除评估日志" in browser_of("boss", "admin").get("/settings/history").text
