"""The demo's turns as typed values."""

from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict


class Expect(BaseModel):
    """How a turn must end: draft state, fallback reason, messages on the customer's phone."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    state: str
    fallback: str
    delivered: int
    rewrites: int = 0
    session: int | None = None
    scenarios: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()


class Scene(BaseModel):
    """One customer turn and what agent and operator do in it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    title: str
    customer: str
    draft: dict[str, Any]
    expect: Expect
    account: str = "homes"
    subject: str | None = None
    meanwhile: str | None = None
    rewrite: dict[str, Any] | None = None
    operator: str | None = None
    words: str = ""

    @property
    def recipient(self) -> str:
        """The customer's id on the platform."""
        return f"wm_demo_{self.id.replace('-', '_')}"


def load_scenes() -> tuple[Scene, ...]:
    """Load the turns in order."""
    rows = yaml.safe_load((Path(__file__).parent / "scenes.yaml").read_text("utf-8"))
    return tuple(Scene.model_validate(row) for row in rows)
