"""What nobody could verify about the platform, as settings: the product must work with every value of each."""

from dataclasses import dataclass, fields, replace
from typing import Any

LONG_TEXT = ("refuse", "cut")


@dataclass(frozen=True, slots=True)
class Knobs:
    """Behaviour of the simulated platform. Times are seconds.

    The first block holds facts that the documentation leaves open or contradicts; the second is plain set-up.
    """

    duplicate_msgid_errcode: int = 40058
    long_text: str = "refuse"  # or "cut" at 2,048 bytes without a word, as field reports say of app messages
    long_text_errcode: int = 40058
    late_code_errcode: int = 41050
    window_errcode: int = 95002  # or 95018: the answer once 48 hours have passed
    ended_send_errcode: int = 95018  # or 95013, 95002
    ended_move_errcode: int = 95016  # or 95013
    expired_token_errcode: int = 42001  # or 40014
    event_text_uses_quota: bool = False
    api_may_end: bool = False  # 0, 1, 2 -> 4
    assistant_after_reply: bool = True  # 0 -> 1 by an API reply
    menu_click_gives_quota: bool = True
    servicer_text_uses_quota: bool = False
    same_token_while_valid: bool = False
    new_token_ends_old: bool = False
    retry_callback_on_error: bool = False  # older text: any answer but 200 is retried
    sync_seconds_without_token: int = 0  # the strict limit whose number is not published; 0: none

    people_first: bool = False  # the kf account is set to human reception: new sessions start with people
    history_days: int = 3
    token_lifetime: int = 7200
    page_size: int = 1000
    hang_seconds: float = 30.0  # how long an injected time-out keeps the caller waiting
    callback_retry_seconds: float = 5.0

    def with_values(self, values: dict[str, Any]) -> "Knobs":
        """Give these knobs with some turned; raises ValueError that names a wrong knob or value."""
        known = {field.name: type(getattr(self, field.name)) for field in fields(self)}
        for name, value in values.items():
            if name not in known:
                raise ValueError(f"{name} is no knob; there are {', '.join(sorted(known))}")
            if type(value) is not known[name] and not (known[name] is float and type(value) is int):
                raise ValueError(f"{name} takes a {known[name].__name__}")
        if values.get("long_text", "refuse") not in LONG_TEXT:
            raise ValueError("long_text is refuse or cut")
        return replace(self, **values)
