"""Seal the secrets that must be readable again: webhook secrets, robot keys, the platform's access token.

Passwords and API keys are hashed instead. A sealed value opens only with the same key and for the same purpose, so that
a row copied to another place is worthless.
"""

import base64
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from pydantic import SecretStr

from gateway.errors import Refused

LEAST = 32  # characters of DRAFTGATE_SECRET_KEY
NONCE = 12
FORM = "v1."


class Vault:
    """Seals under one secret; its text never appears in a repr, a log or an error."""

    def __init__(self, secret: SecretStr) -> None:
        self._cipher = _cipher(secret.get_secret_value()) if secret.get_secret_value() else None

    def seal(self, text: str, purpose: str) -> str:
        """Seal a text for a purpose. Raises Refused `no_secret_key` when no key is set."""
        if self._cipher is None:
            raise Refused(
                "no_secret_key",
                "set DRAFTGATE_SECRET_KEY to at least 32 random characters first: it seals what must be kept secret",
            )
        nonce = secrets.token_bytes(NONCE)
        sealed = nonce + self._cipher.encrypt(nonce, text.encode(), purpose.encode())
        return FORM + base64.urlsafe_b64encode(sealed).decode()

    def open(self, sealed: str | None, purpose: str) -> str | None:
        """Open a sealed text; None when there is none, or key or purpose are others."""
        if self._cipher is None or not sealed or not sealed.startswith(FORM):
            return None
        try:
            raw = base64.urlsafe_b64decode(sealed.removeprefix(FORM))
            return self._cipher.decrypt(raw[:NONCE], raw[NONCE:], purpose.encode()).decode()
        except (ValueError, InvalidTag):
            return None


def _cipher(secret: str) -> AESGCM:
    derived = HKDF(hashes.SHA256(), 32, salt=None, info=b"draftgate vault").derive(secret.encode())
    return AESGCM(derived)
