"""What can go wrong between an agent and the gateway: one class, and two that say that no answer came.

GateError              the gateway's own words: code, message, field, status
├── GateTimeout        nothing came in time
└── GateUnreachable    no connection was made, or it broke
"""

from collections.abc import Mapping
from typing import Any


class GateError(Exception):
    """The gateway said no, or gave no answer.

    `code` is stable (docs/api.md lists them); `status` is None when no answer came; `record` is the error object as it
    came. `maybe_done` says whether the call may have taken effect all the same. `idempotency_key` is the one that the
    call carried: the same call with it is harmless.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        call: str = "",
        status: int | None = None,
        field: str | None = None,
        maybe_done: bool = False,
        idempotency_key: str | None = None,
        record: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.call = call
        self.status = status
        self.field = field
        self.maybe_done = maybe_done
        self.idempotency_key = idempotency_key
        self.record: Mapping[str, Any] = record or {}
        self.retry_after: float | None = None

    def __str__(self) -> str:
        told = (self.call, str(self.status or ""), self.code, self.field or "", self.message)
        return ": ".join(part for part in told if part)


class GateTimeout(GateError):
    """No answer came in time; `maybe_done` is False if not even a connection was made."""


class GateUnreachable(GateError):
    """No connection could be made, or it broke before the answer was whole; `maybe_done` tells the two apart."""
