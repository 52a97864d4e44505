"""Logging: one JSON object a line, without secrets, and with phone and identity numbers masked."""

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

from outbound.wecom.wire import quiet_http_logs

# Eleven digits that begin like a mobile number, or an identity number of eighteen: the middle is nobody's business here.
_NUMBERS = re.compile(r"(?<!\d)(1[3-9]\d|\d{6})(\d{4}|\d{8})(\d{4}|\d{3}[\dXx])(?!\d)")
_SECRET_NAMES = frozenset({"password", "secret", "token", "access_token", "authorization", "cookie", "corpsecret"})


def configure_logs(level: int = logging.INFO) -> None:
    """Set logging up for a process; repeated calls change nothing more."""
    quiet_http_logs()
    logging.getLogger("apscheduler").setLevel(
        logging.ERROR
    )  # a tick that is skipped because the last one runs is usual
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            mask,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def mask(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replace secrets by name and personal numbers by shape."""
    for name, value in event.items():
        if name.lower() in _SECRET_NAMES:
            event[name] = "***"
        elif isinstance(value, str):
            event[name] = mask_numbers(value)
    return event


def mask_numbers(text: str) -> str:
    """Mask phone and identity numbers, keeping their ends."""
    return _NUMBERS.sub(lambda m: m[1] + "*" * len(m[2]) + m[3], text)
