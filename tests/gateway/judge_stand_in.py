"""An OpenAI-compatible endpoint on loopback that misbehaves in every way a test asks for."""

import contextlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from verifier.counsel import DIMENSIONS


def opinion(score=0.95, doubts=(), confirmed=(), **scores):
    """Write a good answer."""
    return json.dumps(
        {
            "dimensions": {n: {"evidence": "看过资料", "score": scores.get(n, score)} for n in DIMENSIONS},
            "doubts": [{"clause": n, "why": why} for n, why in doubts],
            "confirmed": [{"clause": n, "source": s, "quote": q} for n, s, q in confirmed],
        },
        ensure_ascii=False,
    )


def completion(words):
    """Write what an endpoint sends for a judge's words."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": words}}
    body = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    return json.dumps(body, ensure_ascii=False).encode()


class StandIn:
    """Answers each call by `say`: words, bytes of a whole body, or a function of the request that writes by itself."""

    def __init__(self):
        self.say = opinion()
        self.status = 200
        self.calls = []
        self.over = threading.Event()
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                stand_in.calls.append(
                    {"path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()}, **body}
                )
                stand_in.answer(self)

            def log_message(self, *_args):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def answer(self, handler):
        if callable(self.say):
            self.say(handler, self)
            return
        body = self.say if isinstance(self.say, bytes) else completion(self.say)
        self.send(handler, body)

    def send(self, handler, body):
        handler.send_response(self.status)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    @property
    def told(self):
        """What the judge was told last."""
        words = self.calls[-1]["messages"][1]["content"]
        return json.loads(words.removeprefix("<data>").removesuffix("</data>"))

    def close(self):
        self.over.set()
        self._server.shutdown()
        self._server.server_close()


def drip(handler, stand_in):
    """Send the headers at once and the answer a byte at a time, without an end."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.end_headers()
    try:
        while not stand_in.over.wait(0.02):
            handler.wfile.write(b" ")
            handler.wfile.flush()
    except OSError:
        pass


def hang(_handler, stand_in):
    """Take the request and say nothing."""
    stand_in.over.wait(10)


def flood(handler, _stand_in):
    """Send megabytes."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.end_headers()
    try:
        for _ in range(4000):
            handler.wfile.write(b'{"choices": [' + b" " * 10_000)
    except OSError:
        pass


def break_off(handler, _stand_in):
    """Promise more than is sent, and hang up."""
    handler.send_response(200)
    handler.send_header("content-length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"mess')


def redirect(handler, stand_in):
    """Point elsewhere: the key must not go there."""
    handler.send_response(307)
    handler.send_header("location", stand_in.url.replace("/v1", "/elsewhere"))
    handler.send_header("content-length", "0")
    handler.end_headers()


def late(handler, stand_in):
    """Give a good answer, too late."""
    time.sleep(0.9)
    with contextlib.suppress(OSError):
        stand_in.send(handler, completion(opinion()))
