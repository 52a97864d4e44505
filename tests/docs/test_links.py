"""Links in all Markdown files lead somewhere inside the project."""

import re

import pytest

from tests.docs.conftest import ROOT
from tests.docs.markdown import FENCE

SKIP = {".venv", "node_modules", ".pytest_cache"}
DOCUMENTS = sorted(p for p in ROOT.glob("**/*.md") if not SKIP & set(p.relative_to(ROOT).parts))
LINK = re.compile(r"\[[^\[\]]*\]\(([^()\s]+)\)")
MACHINE = re.compile(r"(?<![\w.:/])/(?:home|root|tmp|opt|srv|mnt|usr|var|Users)/|file://")
CLIMBS = re.compile(r"(?:\.\./)+[\w./-]*")


def anchor(heading):
    """Write a heading's anchor as the usual renderers do."""
    kept = "".join(c for c in heading.lower() if c.isalnum() or c in " -_")
    return kept.strip().replace(" ", "-")


def anchors(path):
    text = FENCE.sub("", path.read_text("utf-8"))
    return {anchor(match) for match in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


@pytest.mark.parametrize("document", DOCUMENTS, ids=[p.relative_to(ROOT).as_posix() for p in DOCUMENTS])
def test_links_lead_somewhere(document):
    text = FENCE.sub("", document.read_text("utf-8"))
    for target in LINK.findall(text):
        if target.startswith(("http://", "https://")):
            continue
        path, _, fragment = target.partition("#")
        file = (document.parent / path).resolve() if path else document
        assert file.is_relative_to(ROOT), target
        assert file.exists(), target
        assert not fragment or fragment in anchors(file), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=[p.relative_to(ROOT).as_posix() for p in DOCUMENTS])
def test_no_path_leads_outside(document):
    """No document names a place of some machine, or climbs out of the project."""
    text = document.read_text("utf-8")
    assert not MACHINE.search(text)
    climbs = CLIMBS.findall(FENCE.sub("", text))
    assert all((document.parent / path).resolve().is_relative_to(ROOT) for path in climbs)


def test_every_document_is_reached_from_the_readme():
    """Follow the links from README.md: no page stands alone."""
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md" or not page.exists():
            continue
        reached.add(page)
        text = FENCE.sub("", page.read_text("utf-8"))
        waiting += [(page.parent / link.partition("#")[0]).resolve() for link in LINK.findall(text)]
    assert {p for p in DOCUMENTS if p.is_relative_to(ROOT / "docs")} <= reached
