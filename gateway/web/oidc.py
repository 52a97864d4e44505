"""Signing in at an OpenID Connect provider: authorization code with PKCE, state and nonce; tokens are checked here.

Sources: OpenID Connect Core 1.0 (3.1), Discovery 1.0, RFC 7636 and RFC 9700, read in 2026-11.
"""

import asyncio
import base64
import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx2
import structlog
from fastapi import APIRouter, Request, Response

from gateway.errors import Forbidden
from gateway.settings import Settings
from gateway.web.elsewhere import NotHere, come_back, enter, leave, must_offer, new_state, return_address
from gateway.web.page import PageRoute, service_of

router = APIRouter(route_class=PageRoute, include_in_schema=False)
log = structlog.get_logger(__name__)
KEPT = 3600.0  # seconds that the provider's own description is believed
PATIENCE = 10.0  # seconds
LEEWAY = 60  # seconds between the provider's clock and ours
ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"]
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Described:
    """What a provider says about itself, and its keys."""

    authorize: str
    token: str
    keys: Mapping[str, Any]


class Provider:
    """Remembers a provider's description for an hour; one look for all who sign in."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._described: Described | None = None
        self._until = 0.0

    async def describe(self, client: httpx2.AsyncClient, issuer: str, *, anew: bool = False) -> Described:
        """Give the description. Raises NotHere when it cannot be had or believed."""
        async with self._lock:
            if self._described is None or anew or time.monotonic() >= self._until:
                self._described = await _described(client, issuer)
                self._until = time.monotonic() + KEPT
            return self._described


@router.get("/sign-in/oidc")
async def begin(request: Request) -> Response:
    """Send the browser to the provider."""
    settings = must_offer(request, "oidc")
    state, nonce, verifier = new_state(), new_state(), new_state()
    try:
        async with _client() as client:
            described = await _provider(request).describe(client, settings.oidc_issuer)
    except (NotHere, httpx2.HTTPError) as error:
        raise _failed(error) from error
    asked = {
        "response_type": "code",
        "client_id": settings.oidc_client_id,
        "redirect_uri": return_address(settings, "oidc"),
        "scope": "openid",
        "state": state,
        "nonce": nonce,
        "code_challenge": _challenge(verifier),
        "code_challenge_method": "S256",
    }
    joined = "&" if "?" in described.authorize else "?"
    address = f"{described.authorize}{joined}{urlencode(asked)}"
    return await leave(request, "oidc", {"nonce": nonce, "verifier": verifier}, state, address)


@router.get("/sign-in/oidc/back")
async def back(request: Request) -> Response:
    """Take the provider's word for who somebody is."""
    settings = must_offer(request, "oidc")
    begun = await come_back(request, "oidc")
    code = request.query_params.get("code", "")[:2000]
    if not code:
        raise Forbidden("not_vouched", "the provider did not sign you in")
    try:
        async with _client() as client:
            described = await _provider(request).describe(client, settings.oidc_issuer)
            token = await _exchange(client, described, settings, code, begun.told["verifier"])
            keys = described.keys
            if _key_id(token) not in {key.get("kid") for key in keys.get("keys", ())}:  # the keys were changed
                keys = (await _provider(request).describe(client, settings.oidc_issuer, anew=True)).keys
        now = int(service_of(request).clock().timestamp())
        subject = subject_of(token, keys, settings.oidc_issuer, settings.oidc_client_id, begun.told["nonce"], now)
    except (NotHere, httpx2.HTTPError) as error:
        raise _failed(error) from error
    return await enter(request, "oidc", subject, begun.wanted)


def subject_of(token: str, keys: Mapping[str, Any], issuer: str, client_id: str, nonce: str, now: int) -> str:
    """Check an id token and give its subject. Raises NotHere for anything that is not exactly right."""
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    rules = jwt.JWTClaimsRegistry(
        now=now,
        leeway=LEEWAY,
        iss={"essential": True, "value": issuer},
        aud={"essential": True, "value": client_id},
        exp={"essential": True},
        iat={"essential": True},
        sub={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        claims = jwt.decode(token, KeySet.import_key_set(keys), algorithms=ALGORITHMS).claims  # type: ignore[arg-type]
        rules.validate(claims)
    except (JoseError, ValueError) as error:
        raise NotHere(f"id token: {type(error).__name__}") from error
    several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if (several or "azp" in claims) and claims.get("azp") != client_id:
        raise NotHere("id token: made for another client")
    return str(claims["sub"])


async def _exchange(
    client: httpx2.AsyncClient, described: Described, settings: Settings, code: str, verifier: str
) -> str:
    secret = settings.oidc_client_secret.get_secret_value()
    given = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": return_address(settings, "oidc"),
        "code_verifier": verifier,
    }
    if secret:
        answer = await client.post(described.token, data=given, auth=(settings.oidc_client_id, secret))
    else:
        answer = await client.post(described.token, data=given | {"client_id": settings.oidc_client_id})
    told = _json(answer, "token endpoint")
    if not isinstance(told.get("id_token"), str):
        raise NotHere("token endpoint: no id token")
    return str(told["id_token"])


async def _described(client: httpx2.AsyncClient, issuer: str) -> Described:
    told = _json(await client.get(issuer.rstrip("/") + "/.well-known/openid-configuration"), "discovery")
    if told.get("issuer") != issuer:
        raise NotHere("discovery: another issuer")
    places = [told.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
    if not all(isinstance(place, str) and _safe(place) for place in places):
        raise NotHere("discovery: an endpoint is missing or not https")
    authorize, token, jwks = (str(place) for place in places)
    return Described(authorize, token, _json(await client.get(jwks), "keys"))


def _json(answer: httpx2.Response, what: str) -> dict[str, Any]:
    try:
        told = answer.json() if answer.status_code == 200 else None
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise NotHere(f"{what}: status {answer.status_code}, no JSON object")
    return told


def _safe(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)


def _key_id(token: str) -> str | None:
    from joserfc import jws
    from joserfc.errors import JoseError

    try:
        return jws.extract_compact(token.encode()).headers().get("kid")
    except (JoseError, ValueError):
        return None


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def _provider(request: Request) -> Provider:
    provider: Provider = request.app.state.oidc
    return provider


def _client() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(timeout=PATIENCE, follow_redirects=False)


def _failed(error: Exception) -> Forbidden:
    log.warning("sign_in_elsewhere_failed", provider="oidc", fault=str(error) or type(error).__name__)
    return Forbidden("not_vouched", "the provider did not sign you in")
