"""What the pure rooms take alone: import time, pack loading and resident memory, each in a process of its own."""

import subprocess
import sys

from rich.console import Console

_SCRIPT = """
import time
began = time.process_time()
import planner.plan, verifier.verify
from planner.pack import load_pack
from planner.reading import read_turn
from planner.turn import ChatType, Conversation, Draft, Message, Role, Turn
imported = time.process_time() - began
from datetime import UTC, datetime

def judge(name, text):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    said = Message("m", Role.CUSTOMER, "3室的多少钱，能看房吗", now)
    turn = Turn("t", now, Conversation("c", ChatType.PRIVATE, (said,)), Draft(text), name)
    reading = read_turn(turn, load_pack(name))
    verifier.verify.verify(reading, planner.plan.plan(reading))

def resident():
    try:
        lines = open("/proc/self/status").read().splitlines()
    except OSError:
        import resource
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024

print(f"import {imported:.2f} s CPU, {resident():.0f} MB")
for names, text in ((("property",), "您好，这套350万，满五唯一。"), (("used_car",), "您好，这套350万，满五唯一。"), (("property",), "這套總價350萬。")):
    began = time.process_time()
    for name in names:
        judge(name, text)
    print(f"{', '.join(names)}{' (traditional characters)' if '這' in text else ''}: first verdict after {time.process_time() - began:.2f} s CPU, {resident():.0f} MB resident at most")
"""


def run(console: Console) -> None:
    """Print what a fresh process takes after each step; a process counts its own peak, not that of its parent."""
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        console.print(f"planner + verifier alone: {line}")
