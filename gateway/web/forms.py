"""Forms as browsers send them: read within limits, cleaned once at the door."""

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from fastapi import Request

from gateway.http import body_of
from gateway.jsonio import InputError
from gateway.wire import MAX_TEXT

MAX_FORM = 400_000  # bytes: the longest text, each of its bytes written as %XX, and the small fields beside it
MAX_LINE = 500
_FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a posted form."""

    fields: Mapping[str, tuple[str, ...]]

    def line(self, name: str, most: int = MAX_LINE) -> str:
        """Give a one-line field without control characters, trimmed; empty when absent. Raises InputError if long."""
        raw = self.fields.get(name, ("",))[-1]
        if len(raw) > most:
            raise InputError(name, f"at most {most} characters")
        return "".join(c for c in raw if unicodedata.category(c) not in ("Cc", "Cs")).strip()

    def secret(self, name: str, most: int = 1024) -> str:
        """Give a field exactly as typed. Raises InputError if long."""
        raw = self.fields.get(name, ("",))[-1]
        if len(raw) > most:
            raise InputError(name, f"at most {most} characters")
        return raw

    def text(self, name: str) -> str:
        """Give a text with the line ends that were typed (browsers send them as CRLF). Raises InputError if long."""
        raw = self.fields.get(name, ("",))[-1].replace("\r\n", "\n").replace("\r", "\n")
        if len(raw) > MAX_TEXT:
            raise InputError(name, f"at most {MAX_TEXT} characters")
        if "\x00" in raw:
            raise InputError(name, "holds a NUL character, which nothing can show")
        return raw

    def number(self, name: str) -> int:
        """Give a whole number. Raises InputError."""
        raw = self.line(name, 12)
        if not (raw.isascii() and raw.isdigit()):
            raise InputError(name, "must be a whole number")
        return int(raw)

    def ticked(self, name: str) -> bool:
        """Say whether a box was ticked."""
        return self.fields.get(name, ("",))[-1] == "on"

    def choices(self, name: str) -> list[str]:
        """Give all values of a field, in order, without blanks."""
        cleaned = ("".join(c for c in value if c.isprintable()).strip() for value in self.fields.get(name, ()))
        return [value for value in cleaned if value][:100]

    @property
    def digest(self) -> str:
        """Fingerprint of what was sent, for telling a repeat from another form under the same request id."""
        return hashlib.sha256(repr(sorted(self.fields.items())).encode()).hexdigest()


async def read_form(request: Request) -> Form:
    """Read a posted form. Raises InputError for anything that is none."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != _FORM:
        raise InputError("body", f"must be {_FORM}", 415)
    raw = await body_of(request, MAX_FORM)
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=200)
    except ValueError as error:
        raise InputError("body", "not a readable form", 400) from error
    fields: dict[str, tuple[str, ...]] = {}
    for name, value in pairs:
        fields[name] = (*fields.get(name, ()), value)
    return Form(fields)
