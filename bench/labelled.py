"""Write labelled turns for `draftgate calibrate`: `python -m bench.labelled OUT.jsonl [FOLDER OR FILE …]`.

A draft is right when its line of the evaluation set names no fault. Nothing of the lines is printed.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.sets import draft_files, own_sets


def labelled(file: Path) -> Iterator[dict[str, Any]]:
    """Turn the lines of a drafts file into turns with a label."""
    for line in file.read_text("utf-8").splitlines():
        if line.strip():
            row = json.loads(line)
            expect = row.get("expect", {})
            scenario = next(iter(expect.get("scenarios", [])), None)
            yield {"turn": row["turn"], "right": not expect.get("fails")} | ({"scenario": scenario} if scenario else {})


def main() -> None:
    """Write one file and say how many rows it holds."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("out", type=Path)
    asked.add_argument("paths", nargs="*", type=Path, help="folders or files; the sets of eval/ when none is given")
    asked.add_argument("--twins", action="store_true", help="the drafts with declarations too")
    given = asked.parse_intermixed_args()
    files = draft_files(given.paths or own_sets(), grounded=None if given.twins else False)
    rows = [row for file in files for row in labelled(file)]
    given.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    right = sum(row["right"] for row in rows)
    print(f"{len(rows)} rows from {len(files)} files, {right} right and {len(rows) - right} wrong")


if __name__ == "__main__":
    main()
