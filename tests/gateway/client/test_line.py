"""Real lines that fail: silence, a closed door, half an answer, another protocol."""

import socket
import threading

import pytest

from gateway.client import GateError, GateTimeout, GateUnreachable

HALF = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"


class Line:
    """A listener that answers each connection with the same bytes and closes it, or, with None, keeps silent."""

    def __init__(self, answer):
        self.answer, self.kept = answer, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join(5)
        for open_one in (self.listener, *self.kept):
            open_one.close()

    def serve(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            self.kept.append(near)
            near.recv(65536)
            if self.answer is not None:
                near.sendall(self.answer)
                near.close()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(None, GateTimeout), (b"", GateUnreachable), (HALF, GateUnreachable), (b"hello\r\n\r\n", GateUnreachable)],
    ids=["silence", "closed", "half an answer", "another protocol"],
)
def test_a_line_that_fails_is_told_for_what_it_is(face, answer, kind):
    with Line(answer) as line, pytest.raises(GateError) as caught:
        face(line.url, "dg_key", timeout=0.3, tries=1)("rewrite", "d-1", {"text": "好的。"})
    assert (type(caught.value), caught.value.maybe_done, caught.value.status) == (kind, True, None)


def test_nobody_listens(face, pauses):
    """Nothing left: that may be tried again whatever the call."""
    with pytest.raises(GateUnreachable) as caught:
        face("http://127.0.0.1:1", "dg_key", tries=2)("rewrite", "d-1", {"text": "好的。"})
    assert (caught.value.maybe_done, caught.value.status, pauses) == (False, None, [0.25])
