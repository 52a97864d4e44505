"""Gateway errors, each a class with its HTTP status; one handler answers `{error: {code, message, ...}}`.

GatewayError
├── InputError        400/413/422  the caller's JSON or a field of it (gateway.jsonio)
├── NotFound          404          no such conversation, draft, …
├── Forbidden         403          an unknown group, a missing scope or role
├── Unauthorized      401          no or a wrong key
├── Conflict          409          something else was decided, stored or seen meanwhile
├── Refused           422          the gate or a limit says no; state unchanged
└── TooMany           429          slow down
"""

from typing import Any


class GatewayError(Exception):
    """Base: `code` is stable, `message` tells a person what to do, `extra` stands beside them."""

    status = 500

    def __init__(self, code: str, message: str, **extra: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.extra = extra

    def record(self) -> dict[str, Any]:
        """Give the error's JSON body."""
        return {"error": {"code": self.code, "message": self.message, **self.extra}}


class NotFound(GatewayError):
    """Nothing of that id is stored."""

    status = 404


class Forbidden(GatewayError):
    """The caller may not do this."""

    status = 403


class Unauthorized(GatewayError):
    """The caller is not known."""

    status = 401


class Conflict(GatewayError):
    """The world moved on: nothing was changed by this call."""

    status = 409


class Refused(GatewayError):
    """The gate or a limit says no; the state is unchanged."""

    status = 422


class TooMany(GatewayError):
    """Too many calls; try later."""

    status = 429
