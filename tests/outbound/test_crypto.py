import base64
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outbound.errors import CallbackRefused
from outbound.wecom.crypto import CallbackKeys, callback_keys, check_signature, decrypt, encrypt, signature

VECTORS = {row["name"]: row for row in json.loads(Path(__file__).with_name("crypto-vectors.json").read_text("utf-8"))}
A = VECTORS["A_post"]


def keys_of(row: dict[str, str]) -> CallbackKeys:
    return callback_keys(row["token"], row["encoding_aes_key"], row["receive_id"])


KEYS = keys_of(A)


def reason_of(call, *args: object) -> str:
    with pytest.raises(CallbackRefused) as refused:
        call(*args)
    return refused.value.reason


def sealed(plain: bytes) -> str:
    """Seal raw inner bytes, padding and all."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    sealer = Cipher(algorithms.AES(KEYS.key), modes.CBC(KEYS.key[:16])).encryptor()
    return base64.b64encode(sealer.update(plain) + sealer.finalize()).decode()


def inner(message: bytes, *, length: int | None = None, receiver: bytes = KEYS.receive_id.encode()) -> bytes:
    size = len(message) if length is None else length
    plain = b"r" * 16 + size.to_bytes(4, "big") + message + receiver
    pad = 32 - len(plain) % 32
    return plain + bytes([pad]) * pad


@pytest.mark.parametrize("row", VECTORS.values(), ids=VECTORS)
def test_public_vectors(row):
    keys = keys_of(row)
    assert signature(keys, row["timestamp"], row["nonce"], row["encrypt"]) == row["msg_signature"]
    check_signature(keys, row["msg_signature"], row["timestamp"], row["nonce"], row["encrypt"])
    assert decrypt(keys, row["encrypt"]) == row["plaintext"]


def test_the_pinned_vector_is_sealed_to_the_byte():
    row = VECTORS["SELF_fixed_random"]
    assert encrypt(keys_of(row), row["plaintext"], row["random16"].encode()) == row["encrypt"]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200).filter(lambda t: t.isprintable()), st.binary(min_size=16, max_size=16))
def test_what_is_sealed_opens_again(message, random16):
    assert decrypt(KEYS, encrypt(KEYS, message, random16)) == message


@pytest.mark.parametrize(
    ("name", "value"), [("timestamp", "1409659814"), ("nonce", "1372623140"), ("encrypt", A["encrypt"][:-4] + "AAA=")]
)
def test_the_signature_covers_every_part(name, value):
    row = {**A, name: value}
    parts = (row["msg_signature"], row["timestamp"], row["nonce"], row["encrypt"])
    assert reason_of(check_signature, KEYS, *parts) == "bad_signature"


@pytest.mark.parametrize("place", range(0, 40, 7))
def test_a_flipped_nibble_of_the_signature_is_refused(place):
    given = A["msg_signature"]
    flipped = given[:place] + format(int(given[place], 16) ^ 1, "x") + given[place + 1 :]
    assert reason_of(check_signature, KEYS, flipped, A["timestamp"], A["nonce"], A["encrypt"]) == "bad_signature"


@pytest.mark.parametrize("given", ["", "é" * 40, A["msg_signature"].upper(), A["msg_signature"][:-1]])
def test_odd_signatures_are_refused(given):
    assert reason_of(check_signature, KEYS, given, A["timestamp"], A["nonce"], A["encrypt"]) == "bad_signature"


def test_a_wrong_token_is_refused():
    other = callback_keys("QDG6eL", A["encoding_aes_key"], A["receive_id"])
    parts = (A["msg_signature"], A["timestamp"], A["nonce"], A["encrypt"])
    assert reason_of(check_signature, other, *parts) == "bad_signature"


@pytest.mark.parametrize("receive_id", ["ww_other", "", A["receive_id"] + "x", A["receive_id"][:-1]])
def test_another_receiver_is_refused(receive_id):
    other = callback_keys(A["token"], A["encoding_aes_key"], receive_id)
    assert reason_of(decrypt, other, A["encrypt"]) == "wrong_receiver"


@pytest.mark.parametrize("key", ["", "x" * 42, "x" * 44, A["encoding_aes_key"][:-1] + "!", "键" * 43])
def test_a_key_of_another_shape_stops_the_start(key):
    with pytest.raises(ValueError, match="EncodingAESKey"):
        callback_keys("t", key, "ww")


@pytest.mark.parametrize("token", ["", "令牌"])
def test_a_token_of_another_shape_stops_the_start(token):
    with pytest.raises(ValueError, match="token"):
        callback_keys(token, A["encoding_aes_key"], "ww")


@pytest.mark.parametrize(
    "encrypted",
    [
        "",
        "!",
        "é",
        "AAAA",
        A["encrypt"][:-4],
        A["encrypt"][:64] + "\n" + A["encrypt"][64:],
        A["encrypt"][:-24] + "====" * 6,
    ],
)
def test_cut_or_odd_ciphertext_is_refused(encrypted):
    assert reason_of(decrypt, KEYS, encrypted) == "bad_cipher"


def test_another_key_is_refused():
    other = callback_keys(A["token"], "z" * 43, A["receive_id"])
    assert reason_of(decrypt, other, A["encrypt"]) in ("bad_cipher", "wrong_receiver")


@pytest.mark.parametrize("pad", [0, 33, 255])
def test_padding_outside_one_to_thirty_two_is_refused(pad):
    plain = inner(b"hello")
    assert reason_of(decrypt, KEYS, sealed(plain[:-1] + bytes([pad]))) == "bad_cipher"


def test_uneven_padding_is_refused():
    plain = inner(b"hello")
    assert plain[-1] > 2
    assert reason_of(decrypt, KEYS, sealed(plain[:-2] + b"\x01" + plain[-1:])) == "bad_cipher"


@pytest.mark.parametrize("length", [100, 2**31, 2**32 - 1])
def test_a_length_past_the_end_is_refused(length):
    assert reason_of(decrypt, KEYS, sealed(inner(b"hello", length=length))) == "bad_cipher"


def test_a_message_shorter_than_its_head_is_refused():
    assert reason_of(decrypt, KEYS, sealed(b"x" * 15 + bytes([17]) * 17)) == "bad_cipher"


def test_a_message_that_is_not_utf8_is_refused():
    assert reason_of(decrypt, KEYS, sealed(inner(b"\xff\xfe"))) == "bad_cipher"


def test_secrets_are_not_shown():
    assert A["token"] not in repr(KEYS)
    assert "key=" not in repr(KEYS)


@pytest.mark.parametrize("size", range(64))
def test_every_length_of_padding_opens(size):
    assert decrypt(KEYS, encrypt(KEYS, "a" * size, b"0123456789abcdef")) == "a" * size


@pytest.mark.parametrize("message", ["", "a", "好" * 40])
def test_an_empty_receiver_ends_with_the_message(message):
    robot = callback_keys(A["token"], A["encoding_aes_key"], "")
    assert decrypt(robot, encrypt(robot, message, b"0123456789abcdef")) == message


def test_a_length_one_past_the_end_is_refused():
    assert reason_of(decrypt, KEYS, sealed(inner(b"hello", length=6, receiver=b""))) == "bad_cipher"


def test_a_message_of_padding_only_is_refused():
    assert reason_of(decrypt, KEYS, sealed(bytes([32]) * 32)) == "bad_cipher"
    assert reason_of(decrypt, KEYS, sealed(bytes([17]) * 16)) == "bad_cipher"
