"""The platform's callback cipher as pure functions (document/path/91144, 2024-07-18).

AES-256-CBC with the key's first 16 bytes as its start, padding to blocks of 32 bytes (a stock 16-byte unpadder fails),
inside: 16 random bytes, the length as 4 bytes, the message, the receiver's id.
"""

import base64
import hashlib
import hmac
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from outbound.errors import CallbackRefused

KEY_CHARS = 43
BLOCK = 32
HEAD = 20  # 16 random bytes and the length


@dataclass(frozen=True, slots=True)
class CallbackKeys:
    """The three secrets of a callback; `receive_id` is the corp id for a corp's own app."""

    token: str = field(repr=False)
    key: bytes = field(repr=False)
    receive_id: str


def callback_keys(token: str, encoding_aes_key: str, receive_id: str) -> CallbackKeys:
    """Read the secrets as the admin console shows them; raises ValueError that says which is wrong."""
    if not token or not token.isascii():
        raise ValueError("the callback token is empty or not ASCII")
    if len(encoding_aes_key) != KEY_CHARS:
        raise ValueError(f"EncodingAESKey has {len(encoding_aes_key)} characters instead of {KEY_CHARS}")
    try:
        key = base64.b64decode(encoding_aes_key + "=", validate=True)
    except ValueError:  # binascii.Error is one, and so is what is not ASCII
        raise ValueError("EncodingAESKey has characters that base64 does not know") from None
    return CallbackKeys(token, key, receive_id)


def signature(keys: CallbackKeys, timestamp: str, nonce: str, encrypted: str) -> str:
    """Give the hex signature over the four parts."""
    parts = sorted([keys.token, timestamp, nonce, encrypted])
    return hashlib.sha1("".join(parts).encode("utf-8", "replace")).hexdigest()  # noqa: S324  # the platform's choice


def check_signature(keys: CallbackKeys, given: str, timestamp: str, nonce: str, encrypted: str) -> None:
    """Compare in constant time, before anything is decrypted; raises CallbackRefused."""
    wanted = signature(keys, timestamp, nonce, encrypted).encode()
    if not hmac.compare_digest(wanted, given.encode("utf-8", "replace")):
        raise CallbackRefused("bad_signature", "the signature is not ours: compare the token with the admin console")


def decrypt(keys: CallbackKeys, encrypted: str) -> str:
    """Open a message whose signature was checked; raises CallbackRefused."""
    padded = _opened(keys, encrypted)
    pad = padded[-1]
    if not 1 <= pad <= BLOCK or pad > len(padded) or padded[-pad:] != bytes([pad]) * pad:
        raise CallbackRefused("bad_cipher", "the padding is broken: compare EncodingAESKey with the admin console")
    plain = padded[:-pad]
    length = int.from_bytes(plain[16:HEAD], "big")
    if len(plain) < HEAD or length > len(plain) - HEAD:
        raise CallbackRefused("bad_cipher", "the message is shorter than it says")
    receiver = plain[HEAD + length :]
    if not hmac.compare_digest(receiver, keys.receive_id.encode()):
        raise CallbackRefused("wrong_receiver", "the message is for another corp: compare the corp id")
    try:
        return plain[HEAD : HEAD + length].decode()
    except UnicodeDecodeError:
        raise CallbackRefused("bad_cipher", "the message is not UTF-8") from None


def encrypt(keys: CallbackKeys, message: str, random16: bytes) -> str:
    """Seal a message; `random16` must be fresh for each (the simulator and tests seal, the product only opens)."""
    body = message.encode()
    plain = random16 + len(body).to_bytes(4, "big") + body + keys.receive_id.encode()
    pad = BLOCK - len(plain) % BLOCK
    sealer = _cipher(keys).encryptor()
    return base64.b64encode(sealer.update(plain + bytes([pad]) * pad) + sealer.finalize()).decode()


def _opened(keys: CallbackKeys, encrypted: str) -> bytes:
    try:
        sealed = base64.b64decode(encrypted, validate=True)
    except ValueError:  # not base64, or not ASCII
        raise CallbackRefused("bad_cipher", "the message is not base64") from None
    if not sealed or len(sealed) % 16:
        raise CallbackRefused("bad_cipher", "the message was cut")
    opener = _cipher(keys).decryptor()
    return opener.update(sealed) + opener.finalize()


def _cipher(keys: CallbackKeys) -> Cipher[modes.CBC]:
    return Cipher(algorithms.AES(keys.key), modes.CBC(keys.key[:16]))
