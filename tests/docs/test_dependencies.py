"""docs/dependencies.md has one line for each direct dependency, and no other."""

import re
import tomllib

from tests.docs.conftest import ROOT
from tests.docs.markdown import cells, section

TEXT = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def names(requirements):
    return sorted(re.match(r"[\w.-]+", r)[0].lower() for r in requirements)


def told(heading):
    rows = cells(section(TEXT, heading))[1:]
    assert all(len(row) == 3 and all(row) for row in rows)
    return sorted(row[0].strip("`") for row in rows)


def test_every_direct_dependency_has_its_line():
    assert told("运行 · At run time") == names(PROJECT["dependencies"])
    assert told("开发 · Extra `dev`") == names(EXTRAS["dev"])
    for extra in set(EXTRAS) - {"dev"}:
        assert told(f"选装 · Extra `{extra}`") == names(EXTRAS[extra])
