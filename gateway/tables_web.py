"""The stored rows of the web view: figures counted ahead, and who somebody is at another sign-in."""

from datetime import datetime
from typing import Any

from sqlmodel import Field

from gateway.tables import Base, _json, _moment, _one_of, _text

PROVIDERS = ("wecom", "oidc")


class Tally(Base, table=True):
    """How many drafts of one day, account, agent and model have one mark: a verdict, a decision, a failed check."""

    __tablename__ = "tally"
    kind: str = Field(primary_key=True)
    day: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    account_id: str = Field(primary_key=True)
    agent_id: str = Field(primary_key=True)
    model: str = Field(primary_key=True)
    count: int = 0


class Tallied(Base, table=True):
    """What a draft stands for in the tally now, so that a change takes back what it replaces."""

    __tablename__ = "tallied"
    draft_id: str = Field(primary_key=True, foreign_key="draft.id")
    place: list[str] = _json(null=False)
    marks: list[list[str]] = _json(null=False)


class Identity(Base, table=True):
    """Who an operator is at a sign-in of somebody else's: a member of the corp, or a subject of an OIDC issuer."""

    __tablename__ = "identity"
    __table_args__ = (_one_of("provider", "provider", PROVIDERS),)
    provider: str = Field(primary_key=True)
    subject: str = Field(primary_key=True)
    operator_id: str = Field(foreign_key="operator.id", index=True)
    created_at: datetime = _moment(null=False)


class SignInBegun(Base, table=True):
    """A sign-in elsewhere that was begun at a browser: its state is kept as a hash, and can be used once."""

    __tablename__ = "sign_in_begun"
    sha256: str = Field(primary_key=True)
    provider: str
    told: dict[str, Any] = _json(null=False)
    wanted: str = _text()
    expires_at: datetime = _moment(null=False, index=True)
