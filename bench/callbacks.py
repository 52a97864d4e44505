"""Callbacks acknowledged per second, beside a bare service that reads a body and answers, in one run.

Each is verified and opened as the platform sealed it; what it tells of is pulled in the background from the simulator.
"""

import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

from rich.console import Console

from bench.load import Load
from bench.load import run as load
from bench.outbox import simulator
from bench.served import AES_KEY, TOKEN
from gateway.server import sqlite_url
from outbound.simulator.world import ACCOUNT, CORP_ID
from outbound.wecom.crypto import callback_keys, encrypt, signature

COUNT = 3000


def run(console: Console) -> None:
    """Print both services' figures and their ratio."""
    path, body = _sealed()
    with simulator() as base, tempfile.TemporaryDirectory() as folder:
        bare = _measure(["echo", "-", "0"], path, body)
        full = _measure(["gateway", sqlite_url(Path(folder)), "1", f"{base}/cgi-bin"], path, body)
    console.print(f"{COUNT} callbacks, 16 clients; the client shares the machine")
    for name, got in (("bare FastAPI", bare), ("POST /wecom/callback", full)):
        told = f"{got.per_second:,.0f}/s, p50 {got.p50:.1f} ms, p95 {got.p95:.1f} ms, {got.failed} failed"
        console.print(f"  {name}: {told}")
    console.print(f"  ratio {full.per_second / bare.per_second:.2f}; the platform waits 5 s for an answer")


def _sealed() -> tuple[str, bytes]:
    keys = callback_keys(TOKEN, AES_KEY, CORP_ID)
    inner = (
        f"<xml><ToUserName><![CDATA[{CORP_ID}]]></ToUserName><CreateTime>{int(time.time())}</CreateTime>"
        "<MsgType><![CDATA[event]]></MsgType><Event><![CDATA[kf_msg_or_event]]></Event>"
        f"<Token><![CDATA[ENC]]></Token><OpenKfId><![CDATA[{ACCOUNT}]]></OpenKfId></xml>"
    )
    sealed = encrypt(keys, inner, secrets.token_bytes(16))
    query = {"timestamp": str(int(time.time())), "nonce": secrets.token_hex(8)}
    query["msg_signature"] = signature(keys, query["timestamp"], query["nonce"], sealed)
    body = f"<xml><ToUserName>{CORP_ID}</ToUserName><Encrypt>{sealed}</Encrypt><AgentID>0</AgentID></xml>"
    return f"/wecom/callback?{urlencode(query)}", body.encode()


def _measure(arguments: list[str], path: str, body: bytes) -> Load:
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.server", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    try:
        port = int((process.stdout or sys.exit("no output")).readline())
        load(port, path, [body] * 100, {})
        return load(port, path, [body] * COUNT, {})
    finally:
        process.terminate()
        process.wait(30)
