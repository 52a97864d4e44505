"""Fuzz evaluate, plan and read for ten minutes, or as many as FUZZ_MINUTES says: `python -m bench.fuzz [FILE …]`.

With atheris installed (`pip install atheris`) the search follows the code's branches, else Hypothesis draws the bytes.
A failure is written to build/fuzz as the bytes that give it; files given as arguments are played again instead.
"""

import importlib.util
import os
import sys
import time
import traceback
from hashlib import sha256
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "build" / "fuzz"
LONGEST = 4096


def with_atheris(seconds: int) -> None:
    """Let atheris search; it ends the process itself."""
    import atheris

    with atheris.instrument_imports(include=["planner", "verifier"]):
        from bench.fuzzing import one_input
    options = [
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST}",
        f"-artifact_prefix={FOLDER}/",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *options], one_input)
    atheris.Fuzz()


def with_hypothesis(seconds: int) -> int:
    """Let Hypothesis draw bytes; gives the number of failures found."""
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from hypothesis import strategies as st

    from bench.fuzzing import one_input

    end = time.monotonic() + seconds
    tried: list[int] = [0]
    last: list[bytes] = [b""]
    quiet = settings(
        max_examples=500,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )

    def search(data: bytes) -> None:
        if time.monotonic() < end:
            tried[0] += 1
            last[0] = data
            one_input(data)

    failed = 0
    while time.monotonic() < end:
        try:
            seed(tried[0])(quiet(given(st.binary(min_size=32, max_size=1024))(search)))()
        except Exception:  # noqa: BLE001  # whatever it is, it is what we look for
            failed += 1
            traceback.print_exc(limit=-4)
            keep(last[0])
    print(f"{tried[0]:,} inputs, {failed} failures")
    return failed


def keep(data: bytes) -> None:
    """Write the bytes of a failure where they can be played again."""
    file = FOLDER / sha256(data).hexdigest()[:12]
    file.write_bytes(data)
    print(f"play it again: python -m bench.fuzz {file}", file=sys.stderr)


def play(files: list[str]) -> None:
    """Run given inputs once."""
    from bench.fuzzing import one_input

    for name in files:
        one_input(Path(name).read_bytes())
        print(f"{name}: holds")


def main() -> None:
    """Play files again, or search."""
    if sys.argv[1:]:
        play(sys.argv[1:])
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    seconds = int(60 * float(os.environ.get("FUZZ_MINUTES", "10")))
    if importlib.util.find_spec("atheris") is not None:
        with_atheris(seconds)
    else:
        sys.exit(with_hypothesis(seconds) > 0)


if __name__ == "__main__":
    main()
