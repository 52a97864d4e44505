"""Settings: environment variables `DRAFTGATE_*`, or a settings file of the same names. A bad one stops the start."""

from datetime import time
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo, available_timezones

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class SettingsError(ValueError):
    """Settings cannot be used; the message is one line that names the setting."""


class Settings(BaseSettings):
    """All settings with their defaults; README has the table."""

    model_config = SettingsConfigDict(env_prefix="DRAFTGATE_", env_file=None, extra="forbid", frozen=True)

    database_url: str = Field("sqlite:///draftgate.sqlite3", description="SQLite file or postgresql+psycopg URL")
    host: str = Field("127.0.0.1", description="address to listen on")
    port: Annotated[int, Field(ge=0, le=65535)] = Field(8080, description="port to listen on")
    public_url: str = Field(
        "", description="address under which operators open the web view; https turns on Secure cookies"
    )
    timezone: str = Field("Asia/Shanghai", description="the shop's time zone: 明天 and opening hours are read in it")
    packs_dir: Path | None = Field(None, description="folder with the shop's own packs (name/pack.yaml)")
    pass_score: Annotated[int, Field(ge=0, le=100)] = Field(90, description="least quality score that passes")
    min_band_to_send: str | None = Field(
        None, description="low, middle or high: least confidence band sent without a person; off until calibrated"
    )
    approval_minutes: Annotated[int, Field(ge=1, le=10080)] = Field(
        30, description="minutes until a held draft expires undecided"
    )
    rewrite_seconds: Annotated[int, Field(ge=1, le=3600)] = Field(
        60, description="seconds that an agent has for its one rewrite"
    )
    undo_seconds: Annotated[int, Field(ge=0, le=120)] = Field(
        0, description="seconds between an approval and its sending in which it can be undone"
    )
    handoff_idle_minutes: Annotated[int, Field(ge=1, le=10080)] = Field(
        120, description="minutes after the last human message until a conversation returns to the agent"
    )
    permit_seconds: Annotated[int, Field(ge=1, le=600)] = Field(30, description="seconds that a send permit is valid")
    window_hours: Annotated[int, Field(ge=1, le=48)] = Field(
        48, description="hours after a customer's message in which the channel lets us write"
    )
    quota: Annotated[int, Field(ge=1, le=5)] = Field(
        5, description="messages per customer message that the channel allows"
    )
    quota_reserve: Annotated[int, Field(ge=0, le=4)] = Field(1, description="messages of the quota kept back")
    fresh_minutes: Annotated[int, Field(ge=1, le=1440)] = Field(
        10, description="customer messages older than this at their arrival are recorded, not answered"
    )
    debounce_seconds: Annotated[float, Field(ge=0, le=60)] = Field(
        2.0, description="seconds of silence after which messages typed in quick succession are one turn; 0: none"
    )
    hook_tries: Annotated[int, Field(ge=1, le=12)] = Field(
        7, description="calls of an agent's webhook for one inbox row before it is a dead letter"
    )
    secret_key: SecretStr = Field(
        SecretStr(""),
        description="at least 32 random characters; seals webhook secrets and robot keys, which need it",
    )
    judge_model: str = Field("", description="name of the judge's model at that endpoint")
    judge_url: str = Field(
        "",
        description="base address of an OpenAI-compatible endpoint that judges long turns (extra `judge`); empty: none",
    )
    judge_key: SecretStr = Field(SecretStr(""), description="key of that endpoint")
    judge_seconds: Annotated[float, Field(gt=0, le=60)] = Field(
        8.0, description="seconds that the judge has for its whole answer"
    )
    judge_from_clauses: Annotated[int, Field(ge=0, le=60)] | None = Field(
        None,
        description="clauses from which on a draft goes to the judge, instead of the pack's number; 1: every draft",
    )
    judge_required: bool = Field(
        True, description="whether auto and autopilot hold a draft when the judge was wanted and gave no opinion"
    )
    log_evaluate: bool = Field(
        False, description="whether /v1/evaluate keeps a row of the evaluation log unless its caller says log=false"
    )
    log_days: Annotated[int, Field(ge=1, le=3650)] = Field(
        90, description="days for which the evaluation log keeps a row"
    )
    follow_up_from: time = Field(time(9, 0), description="earliest time of day of a follow-up")
    follow_up_until: time = Field(time(20, 30), description="latest time of day of a follow-up")
    follow_up_touches: Annotated[int, Field(ge=0, le=10)] = Field(2, description="follow-ups per silent customer")
    poll_seconds: Annotated[float, Field(gt=0, le=300)] = Field(
        60.0, description="seconds between two pulls of new messages"
    )
    tick_seconds: Annotated[float, Field(gt=0, le=60)] = Field(
        1.0, description="seconds between two looks at the outbox and the deadlines when nothing wakes them"
    )
    couriers: Annotated[int, Field(ge=1, le=64)] = Field(
        4, description="messages, each to another customer, that one process carries at the same time"
    )
    session_hours: Annotated[int, Field(ge=1, le=24)] = Field(
        8, description="hours until an operator must sign in again"
    )
    wecom_api_base: str = Field(
        "https://qyapi.weixin.qq.com/cgi-bin", description="base address of the WeCom API (the simulator's in a demo)"
    )
    wecom_corp_id: str = Field("", description="the corp id; empty: no channel is connected")
    wecom_secret: SecretStr = Field(SecretStr(""), description="secret of the app that manages the kf accounts")

    sign_in_wecom_agent_id: str = Field(
        "", description="AgentId of the app with which operators sign in through WeCom; empty: no such way in"
    )
    wecom_scan_url: str = Field(
        "https://login.work.weixin.qq.com/wwlogin/sso/login", description="address of WeCom's sign-in by scanning"
    )
    wecom_inside_url: str = Field(
        "https://open.weixin.qq.com/connect/oauth2/authorize",
        description="address of WeCom's sign-in inside its own browser",
    )
    oidc_issuer: str = Field(
        "", description="issuer of an OpenID Connect provider where operators sign in (extra `oidc`); empty: none"
    )
    oidc_client_id: str = Field("", description="our client id at that provider")
    oidc_client_secret: SecretStr = Field(
        SecretStr(""), description="our client secret there; empty: a public client, with PKCE alone"
    )

    wecom_callback_token: SecretStr = Field(
        SecretStr(""), description="token of the callback address /wecom/callback; empty: no callback, only polling"
    )
    wecom_callback_aes_key: SecretStr = Field(
        SecretStr(""), description="EncodingAESKey of the callback address, 43 characters"
    )

    @field_validator("timezone")
    @classmethod
    def _zone_exists(cls, value: str) -> str:
        if value not in available_timezones():
            raise ValueError("no such time zone; write it like Asia/Shanghai")
        return value

    @field_validator("secret_key")
    @classmethod
    def _long_key(cls, value: SecretStr) -> SecretStr:
        if 0 < len(value.get_secret_value()) < 32:
            raise ValueError("must have at least 32 characters; `draftgate init` makes one")
        return value

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: str) -> str:
        if not value.startswith(("sqlite:///", "postgresql+psycopg://", "postgresql://")):
            raise ValueError("must start with sqlite:/// or postgresql://")
        return value.replace("postgresql://", "postgresql+psycopg://", 1)

    @field_validator("judge_url")
    @classmethod
    def _judge_whole(cls, value: str, info: ValidationInfo) -> str:
        if value and not value.startswith(("https://", "http://")):
            raise ValueError("must start with https:// or http://")
        if value and not info.data.get("judge_model"):
            raise ValueError("needs DRAFTGATE_JUDGE_MODEL beside it")
        return value

    @field_validator("min_band_to_send")
    @classmethod
    def _known_band(cls, value: str | None) -> str | None:
        if value not in (None, "", "low", "middle", "high"):
            raise ValueError("must be low, middle or high")
        return value or None

    @property
    def zone(self) -> ZoneInfo:
        """The shop's time zone."""
        return ZoneInfo(self.timezone)

    @property
    def secure_cookies(self) -> bool:
        """Whether the web view is reached over https."""
        return self.public_url.startswith("https://")


def load_settings(file: Path | None = None, **overrides: Any) -> Settings:
    """Read settings from the environment and an optional file; the environment wins.

    Raises SettingsError with one line that names the first bad setting.
    """
    if file is not None and not file.is_file():
        raise SettingsError(f"settings file {file} does not exist; `draftgate init` writes one")
    try:
        return Settings(_env_file=file, **overrides)  # type: ignore[call-arg]  # pydantic-settings' own argument
    except ValidationError as error:
        first = error.errors()[0]
        name = "DRAFTGATE_" + "_".join(str(part) for part in first["loc"]).upper().removeprefix("DRAFTGATE_")
        raise SettingsError(f"{name}: {first['msg'].removeprefix('Value error, ')}") from error
