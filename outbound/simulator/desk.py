"""The simulated platform's own side for colleagues: members who get app messages, group robots with keys."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from outbound.simulator.lookup import Refused
from outbound.simulator.world import Json

ROBOT_KEY = "simulated-robot"


@dataclass(slots=True)
class Desk:
    """Colleagues and robots; `read` lists what arrived, as (who, text)."""

    members: set[str] = field(default_factory=lambda: {"lin", "chen"})
    robots: set[str] = field(default_factory=lambda: {ROBOT_KEY})
    read: list[tuple[str, str]] = field(default_factory=list)

    def webhook(self, query: Mapping[str, str], body: Json) -> Json:
        """Take a robot's message; gives no id."""
        if query.get("key") not in self.robots:
            raise Refused(93000, "invalid webhook url")
        self.read.append(("group", _content(body)))
        return {}

    def message(self, body: Json) -> Json:
        """Take an app message; unknown members are listed in lower case, all unknown is an error."""
        asked = str(body.get("touser", "")).split("|")
        known = [member for member in asked if member in self.members]
        if not known:
            raise Refused(81013, "user & party & tag all invalid")
        text = _content(body)
        self.read.extend((member, text) for member in known)
        missed = "|".join(member.lower() for member in asked if member not in self.members)
        return {"msgid": f"app{len(self.read)}", "invaliduser": missed}


def _content(body: Json) -> str:
    inside = body.get("text")
    content = inside.get("content") if isinstance(inside, dict) else None
    if body.get("msgtype") != "text" or not isinstance(content, str) or not content:
        raise Refused(40008, "invalid message type")
    return content
