"""An agent that is called: checks the signature, takes the row at once, answers it in the background.

    draftgate webhook set shop-1 http://127.0.0.1:9000/ --settings draftgate.env      # shows the secret once
    HOOK_SECRET=whs_… GATE_URL=http://127.0.0.1:8080 GATE_KEY=dg_… python examples/webhook_agent.py [--port 9000] [--once]

Taking a row is answered with 204 before any thinking: the gateway waits ten seconds. What was called out while this agent
was down, or crashed, still stands in the inbox, and is asked for at the start. While a secret is being changed,
HOOK_SECRET may hold both, with a comma between them. Set MODEL_URL and MODEL to draft with a model.
"""
# ruff: noqa: INP001  # a script, not a package

import argparse
import hashlib
import hmac
import json
import os
import queue
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from openai_agent import Model, ModelAgent
from plain_agent import Gate, Json, Refused, Write, answer, answer_row, gate_from_environment, mend, say

MOST_BODY = 4_000_000
MOST_SIGNATURES = 4
MOST_AGE = 300  # seconds by which the gateway's clock may differ from ours: an old call is not taken again
REMEMBERED = 10_000  # ids of rows taken lately: a repeated call is no second draft


def genuine(secrets: list[str], timestamp: str, body: bytes, signature: str, now: float) -> bool:
    """Whether a call is the gateway's: HMAC-SHA256 over timestamp, full stop, body, compared in constant time.

    While a secret is being changed the gateway signs with both, a comma between: one that fits is enough.
    """
    if not (timestamp.isascii() and timestamp.isdecimal()) or abs(now - int(timestamp)) > MOST_AGE:
        return False
    signed = timestamp.encode() + b"." + body
    made = ["v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets]
    given = signature.split(",")[:MOST_SIGNATURES]
    return any(hmac.compare_digest(one.encode(), told.encode()) for one in made for told in given)


class Rows:
    """What is to be answered: taken by the server's threads, each row once, answered by one thread."""

    def __init__(self) -> None:
        self._queue: queue.Queue[Json] = queue.Queue()
        self._taken: dict[str, None] = {}
        self._lock = threading.Lock()

    def take(self, row: Json) -> None:
        """Take a row unless it was taken before."""
        with self._lock:
            if row["id"] in self._taken:
                return
            self._taken[row["id"]] = None
            while len(self._taken) > REMEMBERED:
                self._taken.pop(next(iter(self._taken)))
        self._queue.put(row)

    def forget(self, row: Json) -> None:
        """Let a row be taken again: it could not be answered."""
        with self._lock:
            self._taken.pop(row["id"], None)

    def next(self) -> Json:
        """Wait for a row."""
        return self._queue.get()


def handler_of(rows: Rows, secrets: list[str]) -> type[BaseHTTPRequestHandler]:
    """Make the class that answers the gateway's calls."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the server's own name for it
            length = self.headers.get("Content-Length", "")
            if not length.isdecimal() or int(length) > MOST_BODY:
                return self._done(413)
            body = self.rfile.read(int(length))
            stamp = self.headers.get("X-Draftgate-Timestamp", "")
            signature = self.headers.get("X-Draftgate-Signature", "")
            if not genuine(secrets, stamp, body, signature, time.time()):
                return self._done(401)
            rows.take(json.loads(body)["item"])
            return self._done(204)

        def _done(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Stay quiet: addresses and headers are nobody's business."""

    return Handler


def answer_all(gate: Gate, rows: Rows, draft_for: Write, mend_with: Write, *, once: bool) -> None:
    """Answer row after row, for ever or one; what the gateway refuses stays in its inbox and may come again."""
    for row in gate.inbox(wait=0):
        rows.take(row)
    while True:
        row = rows.next()
        try:
            say(answer_row(gate, row, draft_for, mend_with))
        except Refused as refused:
            sys.stderr.write(f"{refused}\n")
            rows.forget(row)
        if once:
            return


def main() -> None:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser(description="Answer what the gateway calls out.")
    parser.add_argument("--port", type=int, default=9000)
    parser.add_argument("--once", action="store_true", help="end after one answer")
    told = parser.parse_args()
    secrets = [part for part in os.environ.get("HOOK_SECRET", "").split(",") if part]
    if not secrets:
        sys.exit("set HOOK_SECRET to what `draftgate webhook set` showed")
    draft_for, mend_with = answer, mend
    if os.environ.get("MODEL_URL") and os.environ.get("MODEL"):
        name = os.environ["MODEL"]
        agent = ModelAgent(Model(os.environ["MODEL_URL"], os.environ.get("MODEL_KEY", ""), name), name)
        draft_for, mend_with = agent.draft, agent.mend
    rows = Rows()
    server = ThreadingHTTPServer(("127.0.0.1", told.port), handler_of(rows, secrets))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        answer_all(gate_from_environment(), rows, draft_for, mend_with, once=told.once)
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")


if __name__ == "__main__":
    main()
