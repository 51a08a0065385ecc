"""Builds and reads key sets, which verify session tokens (protocol 4.5)."""

import base64
import re
from dataclasses import dataclass
from typing import Dict, List, Mapping, Sequence, Tuple

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, RSAPublicNumbers
from cryptography.hazmat.primitives.serialization import load_pem_public_key

_KEYS_MAX = 100
_KID_MAX_CHARACTERS = 256
_MODULUS_MIN_BITS = 2048
_MODULUS_MAX_BITS = 8192
_EXPONENT_MIN = 65_537
_EXPONENT_MAX_BITS = 32
#: RFC 7518, sections 6.2.2, 6.3.2 and 6.4.
_PRIVATE_MEMBERS = ("d", "p", "q", "dp", "dq", "qi", "oth", "k")
_FORM = {"kty": "RSA", "use": "sig", "alg": "RS256"}


@dataclass(frozen=True)
class PublicKey:
    #: The `kid` of your token headers: 1 to 256 characters, unique in the set.
    kid: str
    #: RSA of 2048 to 8192 bits, SPKI PEM (`-----BEGIN PUBLIC KEY-----`).
    public_key_pem: str


def key_set(public_keys: Sequence[PublicKey]) -> Dict[str, List[Dict[str, str]]]:
    """Builds the document to serve as JSON at `https://<your domain>/.well-known/jwks.json`.

    During a rotation publish the old and the new key for 14 days. Raises ValueError for a key that
    the service would silently ignore, and for a private key, which is never published.
    """
    kids = [key.kid for key in public_keys]
    if len(kids) > _KEYS_MAX:
        raise ValueError(f"A key set has at most {_KEYS_MAX} keys: withdraw old ones.")
    for kid in kids:
        if not 1 <= len(kid) <= _KID_MAX_CHARACTERS:
            raise ValueError(f"A kid has {len(kid)} characters: give 1 to {_KID_MAX_CHARACTERS}.")
        if kids.count(kid) > 1:
            raise ValueError(f"{kid} is the kid of two keys: give each its own.")
    return {"keys": [_published(key) for key in public_keys]}


def _published(key: PublicKey) -> Dict[str, str]:
    numbers = _public_key(key).public_numbers()
    fault = _fault_of(numbers.n, numbers.e)
    if fault != "":
        raise ValueError(f"The service would ignore the key {key.kid}: {fault}. Make another.")
    n, e = _base64url(numbers.n), _base64url(numbers.e)
    return {**_FORM, "kid": key.kid, "n": n, "e": e}


def _public_key(key: PublicKey) -> RSAPublicKey:
    try:
        loaded = load_pem_public_key(key.public_key_pem.encode())
    except (ValueError, UnsupportedAlgorithm) as cause:
        raise ValueError(f"{key.kid} is not an RSA public key in SPKI PEM.") from cause
    if not isinstance(loaded, RSAPublicKey):
        raise ValueError(f"{key.kid} is not an RSA public key in SPKI PEM.")
    return loaded


def _fault_of(modulus: int, exponent: int) -> str:
    """Empty when there is none."""
    bits = modulus.bit_length()
    if not _MODULUS_MIN_BITS <= bits <= _MODULUS_MAX_BITS:
        return f"its modulus has {bits} bits, not {_MODULUS_MIN_BITS} to {_MODULUS_MAX_BITS}"
    if exponent < _EXPONENT_MIN or exponent.bit_length() > _EXPONENT_MAX_BITS:
        return f"its exponent is not {_EXPONENT_MIN}, or more within {_EXPONENT_MAX_BITS} bits"
    return "" if modulus % 2 == exponent % 2 == 1 else "its modulus or its exponent is even"


def _base64url(number: int) -> str:
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def usable_keys(document: object) -> Dict[str, RSAPublicKey]:
    """The keys of a published set that the service uses, by `kid` (decision 110).

    It skips keys of another form, keys after the first hundred, different keys of one `kid`, and
    keys whose private members are published.
    """
    listed = document.get("keys") if isinstance(document, Mapping) else None
    published = [
        key if isinstance(key, Mapping) else {}
        for key in (listed[:_KEYS_MAX] if isinstance(listed, list) else [])
    ]
    revealed = {_numbers(key) for key in published if _is_private(key)}
    usable = [
        (str(key["kid"]), _numbers(key))
        for key in published
        if _is_usable(key) and not _is_private(key) and _numbers(key) not in revealed
    ]
    # A key that is listed twice counts once.
    return {
        kid: RSAPublicNumbers(e, n).public_key()
        for kid, (n, e) in usable
        if all(numbers == (n, e) for other, numbers in usable if other == kid)
    }


def _is_usable(key: Mapping[str, object]) -> bool:
    kid = key.get("kid")
    is_of_form = all(key.get(name) == value for name, value in _FORM.items())
    is_named = isinstance(kid, str) and 1 <= len(kid) <= _KID_MAX_CHARACTERS
    return is_of_form and is_named and _fault_of(*_numbers(key)) == ""


def _is_private(key: Mapping[str, object]) -> bool:
    return any(name in key for name in _PRIVATE_MEMBERS)


def _numbers(key: Mapping[str, object]) -> Tuple[int, int]:
    return _number(key.get("n")), _number(key.get("e"))


def _number(value: object) -> int:
    """0 unless it is base64url."""
    if not isinstance(value, str) or not re.fullmatch("[A-Za-z0-9_-]*", value):
        return 0
    if len(value) % 4 == 1:
        return 0
    return int.from_bytes(base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)), "big")
