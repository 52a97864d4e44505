"""The local engine: a pool of processes that judge shards, a few at a time, so that nothing piles up."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.connection import wait as wait_for

from gateway.audit.errors import AuditError
from gateway.audit.inputs import Shard
from gateway.audit.judging import Rules
from gateway.audit.shard import Judgements, judge_shard

AHEAD = 2  # shards that wait for each worker
Engine = Callable[[Iterable[Shard], Rules, int], Iterator[Judgements]]


def local(shards: Iterable[Shard], rules: Rules, workers: int) -> Iterator[Judgements]:
    """Judge shards on this machine and give each as it is done, in any order."""
    rest = iter(shards)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_begin) as pool:
        running: set[Future[Judgements]] = set()
        try:
            while True:
                wanted = workers * AHEAD - len(running)
                running |= {pool.submit(judge_shard, shard, rules) for shard in islice(rest, wanted)}
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for finished in done:
                    yield finished.result()
        except BrokenProcessPool as error:
            told = "a worker was ended from outside (was there enough memory?); the same command goes on from here"
            raise AuditError(told) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _begin() -> None:
    """Let the starting process answer Ctrl-C, and end with it however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait_for([sentinel])
    os._exit(1)
