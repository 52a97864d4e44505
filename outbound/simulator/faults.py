"""Faults that the simulator can be told to make, each once or several times, on one call."""

from dataclasses import dataclass, replace
from enum import StrEnum


class FaultKind(StrEnum):
    """What goes wrong; the comment says whether the call still takes effect."""

    ERRCODE = "errcode"  # no: answered with `value`
    HTTP = "http"  # no: answered with HTTP status `value`
    TIMEOUT_BEFORE = "timeout_before"  # no: never answered
    TIMEOUT_AFTER = "timeout_after"  # yes: never answered
    HTTP_AFTER = "http_after"  # yes: answered with HTTP status `value`
    NOT_JSON = "not_json"  # yes: answered with words
    NO_ERRCODE = "no_errcode"  # yes: answered without errcode
    NO_MSGID = "no_msgid"  # yes: answered without the message's id
    PARTLY_READ = "partly_read"  # yes: with the warning that the request was read only in part
    FAIL_TYPE = "fail_type"  # yes: accepted, but later it fails with `value`
    STUCK_CURSOR = "stuck_cursor"  # yes: says that there is more, with the cursor it was asked with

    @property
    def before(self) -> bool:
        """Whether the call has no effect."""
        return self in (FaultKind.ERRCODE, FaultKind.HTTP, FaultKind.TIMEOUT_BEFORE)


@dataclass(frozen=True, slots=True)
class Fault:
    """One planned fault: `skip` calls pass first, then it strikes `times` calls."""

    kind: FaultKind
    value: int = 0
    call: str = "kf/send_msg"
    times: int = 1
    skip: int = 0


class Faults:
    """The faults to come and, in `struck`, those that came, each with whether its call had taken effect.

    Not locked: the caller holds the world's lock.
    """

    def __init__(self) -> None:
        self._planned: list[Fault] = []
        self.struck: list[tuple[Fault, bool]] = []

    def plan(self, kind: str, value: int = 0, call: str = "kf/send_msg", times: int = 1, skip: int = 0) -> None:
        """Let a fault strike the next calls; raises ValueError with the kinds there are."""
        if kind not in {known.value for known in FaultKind}:
            raise ValueError(f"{kind} is no fault; there are {', '.join(FaultKind)}")
        self._planned.append(Fault(FaultKind(kind), value, call, times, skip))

    @property
    def left(self) -> int:
        """How many planned faults have not struck to the end."""
        return len(self._planned)

    def clear(self) -> None:
        """Plan nothing any more, and forget what struck."""
        self._planned.clear()
        self.struck.clear()

    def take(self, call: str) -> Fault | None:
        """Give the fault that strikes this call now, and count it down."""
        place = next((i for i, fault in enumerate(self._planned) if fault.call == call), None)
        if place is None:
            return None
        fault = self._planned.pop(place)
        if fault.skip:
            self._planned.insert(place, replace(fault, skip=fault.skip - 1))
            return None
        if fault.times > 1:
            self._planned.insert(place, replace(fault, times=fault.times - 1))
        return fault
