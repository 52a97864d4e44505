"""Numbers that documents print are the code's."""

import pytest

from gateway.api import MAX_WAIT
from gateway.demo.scenes import load_scenes
from gateway.jsonio import MAX_BODY
from gateway.server import GRACE
from gateway.store import MAX_GROUP
from outbound.errors import TABLE
from outbound.message import MAX_BYTES
from outbound.steps import TRIES
from outbound.wecom.callback import MAX_AGE
from outbound.wecom.callback import MAX_BODY as MAX_CALLBACK
from tests.docs.conftest import ROOT

PHRASES = [
    ("docs/architecture.md", f"up to {MAX_GROUP}, share one"),
    ("docs/architecture.md", f"最多 {MAX_GROUP} 个"),
    ("docs/api.md", f"at most {MAX_BODY // 1_000_000} MB"),
    ("docs/api.md", f"`wait` up to {MAX_WAIT:.0f} s"),
    ("docs/operations.md", {3: "three tries"}[TRIES]),
    ("docs/operations.md", {3: "have three seconds"}[GRACE]),
    ("docs/security.md", {600: "ten minutes"}[MAX_AGE]),
    ("docs/security.md", f"{MAX_CALLBACK // 1024} KB"),
    ("docs/wecom.md", f"{MAX_BYTES:,} bytes"),
    ("README.md", {12: "twelve"}[len(load_scenes())]),
]


@pytest.mark.parametrize(("document", "phrase"), PHRASES)
def test_the_number_is_the_codes(document, phrase):
    assert phrase in (ROOT / document).read_text("utf-8")


def test_the_error_table_is_where_the_document_says():
    assert TABLE.relative_to(ROOT).as_posix() in (ROOT / "docs" / "wecom.md").read_text("utf-8")
