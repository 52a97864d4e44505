"""A small keep-alive HTTP client for loopback: sixteen connections, one request at a time on each."""

import asyncio
import time
from dataclasses import dataclass

CLIENTS = 16


@dataclass(frozen=True)
class Load:
    """What a run gave: requests per second and latencies in milliseconds."""

    per_second: float
    p50: float
    p95: float
    failed: int


def run(port: int, path: str, bodies: list[bytes], headers: dict[str, str], tag: str = "k") -> Load:
    """Post every body once, each under an idempotency key of its own, and measure."""
    return asyncio.run(_run(port, path, bodies, headers, tag))


async def _run(port: int, path: str, bodies: list[bytes], headers: dict[str, str], tag: str) -> Load:
    waiting = iter(enumerate(bodies))
    times: list[float] = []
    failed = 0

    async def client() -> None:
        nonlocal failed
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number, body in waiting:
            began = time.perf_counter()
            head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            writer.write(
                f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: {tag}-{number}\r\n"
                f"Content-Length: {len(body)}\r\n{head}\r\n".encode()
                + body
            )
            failed += not await _answered(reader)
            times.append((time.perf_counter() - began) * 1000)
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    took = time.perf_counter() - began
    times.sort()
    return Load(len(bodies) / took, times[len(times) // 2], times[int(len(times) * 0.95)], failed)


async def _answered(reader: asyncio.StreamReader) -> bool:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
    )
    await reader.readexactly(length)
    return head.split(b" ", 2)[1][:1] == b"2"
