"""The simulator's callbacks are real ones: sealed, signed, repeated, and lost on request."""

import time

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from outbound.simulator.app import Simulator
from outbound.simulator.callbacks import AES_KEY, TOKEN
from outbound.simulator.run import Running
from outbound.simulator.world import ACCOUNT, CORP_ID
from outbound.wecom.callback import read_notice
from outbound.wecom.crypto import callback_keys
from tests.outbound.kit import CUSTOMER


class Door:
    """The address that callbacks go to: collects what comes, answers with `status` after `pause` seconds."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status = 200

        async def knock(request: Request) -> Response:
            self.got.append((dict(request.query_params), await request.body()))
            return Response("success", self.status)

        self.app = Starlette(routes=[Route("/wecom/callback", knock, methods=["POST"])])

    def wait_for(self, count: int) -> list[str | None]:
        end = time.monotonic() + 5
        while len(self.got) < count and time.monotonic() < end:
            time.sleep(0.005)
        keys = callback_keys(TOKEN, AES_KEY, CORP_ID)
        return [read_notice(keys, query, body, int(query["timestamp"])).sync_token for query, body in self.got]


@pytest.fixture(scope="module")
def doorway():
    door = Door()
    holder = Simulator()
    holder.app = door.app
    with Running(holder).start() as started:
        yield door, f"{started.url}/wecom/callback"


@pytest.fixture
def door(doorway, sim):
    found, url = doorway
    found.got.clear()
    found.status = 200
    sim.callbacks.point(url)
    return found


def test_callbacks_are_sealed_signed_and_carry_a_token_that_pulls(sim, door, client):
    sim.people.says(CUSTOMER, "在吗")
    (token,) = door.wait_for(1)
    page = client.sync(ACCOUNT, token=token)
    assert [row["text"]["content"] for row in page["msg_list"]] == ["在吗"]


def test_a_dropped_callback_never_comes(sim, door):
    sim.callbacks.plan("drop")
    sim.people.says(CUSTOMER, "一")
    sim.people.says(CUSTOMER, "二")
    assert len(door.wait_for(1)) == 1


def test_a_repeated_callback_is_the_same_bytes(sim, door):
    sim.callbacks.plan("repeat")
    sim.people.says(CUSTOMER, "一")
    door.wait_for(2)
    assert door.got[0] == door.got[1]


def test_a_held_callback_comes_after_the_next(sim, door):
    sim.callbacks.plan("hold")
    sim.people.says(CUSTOMER, "一")
    sim.people.says(CUSTOMER, "二")
    tokens = door.wait_for(2)
    issued = list(sim.world.sync_tokens)
    assert tokens == issued[::-1]


@pytest.mark.parametrize(("retries", "count"), [(False, 1), (True, 4)])
def test_retrying_an_error_answer_is_a_knob(sim, door, retries, count):
    sim.turn(retry_callback_on_error=retries, callback_retry_seconds=0.01)
    door.status = 500
    sim.people.says(CUSTOMER, "在吗")
    door.wait_for(count)
    time.sleep(0.1)
    assert len(door.got) == count
    assert len({body for _, body in door.got}) == 1


def test_an_address_where_nobody_answers_is_retried_three_times(sim):
    sim.turn(callback_retry_seconds=0.01)
    sim.callbacks.point("http://127.0.0.1:9/wecom/callback")
    sim.people.says(CUSTOMER, "在吗")
    end = time.monotonic() + 5
    while len(sim.callbacks.answers) < 4 and time.monotonic() < end:
        time.sleep(0.01)
    assert sim.callbacks.answers == [(ACCOUNT, None)] * 4
