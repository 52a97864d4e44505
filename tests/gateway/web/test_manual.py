"""The operators' manual names every key and every role that the pages know."""

import re
from pathlib import Path

import gateway.web

ROOT = Path(gateway.web.__file__).parents[2]
MANUAL = (ROOT / "docs" / "operators.md").read_text("utf-8")
CHINESE, ENGLISH = MANUAL.split("# For operators", 1)


def test_every_key_of_the_script_is_in_the_manual_and_on_the_help_page():
    script = (ROOT / "gateway" / "web" / "static" / "app.js").read_text("utf-8")
    help_page = (ROOT / "gateway" / "web" / "templates" / "keys.html").read_text("utf-8")
    keys = set(re.findall(r'case "(.)":', script))
    assert len(keys) > 12
    for key in keys - {"?"}:
        assert f"`{key}`" in CHINESE and f"`{key}`" in ENGLISH, key
        assert re.search(rf'["\s]{re.escape(key)}["\s]', help_page), key


def test_every_role_is_explained():
    for word in ("只看", "可决定", "管理员"):
        assert word in CHINESE
    for word in ("viewer", "operator", "administrator"):
        assert word in ENGLISH
