"""Builds the key set that verifies session tokens (protocol 4.5)."""

import base64
from dataclasses import dataclass
from typing import Dict, List, Sequence

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

_KEYS_MAX = 100
_KID_MAX_CHARACTERS = 256
_MODULUS_MIN_BITS = 2048
_MODULUS_MAX_BITS = 8192
_EXPONENT_MIN = 65_537
_EXPONENT_MAX_BITS = 32


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
    return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": key.kid, "n": n, "e": e}


def _public_key(key: PublicKey) -> RSAPublicKey:
    try:
        loaded = load_pem_public_key(key.public_key_pem.encode())
    except (ValueError, UnsupportedAlgorithm) as cause:
        raise ValueError(f"{key.kid} is not an RSA public key in SPKI PEM.") from cause
    if not isinstance(loaded, RSAPublicKey):
        raise ValueError(f"{key.kid} is not an RSA public key in SPKI PEM.")
    return loaded


def _fault_of(modulus: int, exponent: int) -> str:
    """Empty when there is none (decision 110)."""
    bits = modulus.bit_length()
    if not _MODULUS_MIN_BITS <= bits <= _MODULUS_MAX_BITS:
        return f"its modulus has {bits} bits, not {_MODULUS_MIN_BITS} to {_MODULUS_MAX_BITS}"
    if exponent < _EXPONENT_MIN or exponent.bit_length() > _EXPONENT_MAX_BITS:
        return f"its exponent is not {_EXPONENT_MIN}, or more within {_EXPONENT_MAX_BITS} bits"
    return "" if modulus % 2 == exponent % 2 == 1 else "its modulus or its exponent is even"


def _base64url(number: int) -> str:
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
