"""Mints session tokens, one per checkout (protocol 4)."""

import base64
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Dict, Mapping, Protocol

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from .client_options import non_empty
from .clock import Now, make_unique_text, rfc3339, system_now, whole_seconds

_AUDIENCE = "service-checkout"
_LIFETIME_MAX_SECONDS = 600


@dataclass(frozen=True)
class KycAttestation:
    """You answer for it: how and when you identified the user."""

    #: The service rejects a token where this is not true (decision 9).
    verified: bool
    #: How you identified the user, such as `document`. Not empty.
    method: str
    verified_at: datetime


@dataclass(frozen=True)
class SanctionsAttestation:
    """You answer for it: when you screened the user."""

    #: The service rejects a token where this is not true.
    clean: bool
    screened_at: datetime


class PayableIntent(Protocol):
    """An Intent, or your own record of one."""

    @property
    def intent_id(self) -> str: ...
    @property
    def amount_usd_cents(self) -> int: ...
    @property
    def corridor(self) -> str: ...


def mint_session_token(
    *,
    issuer: str,
    kid: str,
    private_key_pem: str,
    subject: str,
    intent: PayableIntent,
    kyc_attestation: KycAttestation,
    sanctions_attestation: SanctionsAttestation,
    lifetime_seconds: int = _LIFETIME_MAX_SECONDS,
    now: Now = system_now,
) -> str:
    """Mints a token (RS256) that authorizes one intent once.

    Each call makes a new `jti`. When a session has expired, mint another token. `issuer` is your
    registered key-set URL, with or without `/.well-known/jwks.json`. `kid` names the private key's
    public half in your published key set. `private_key_pem` is an RSA key in PKCS #8
    (`-----BEGIN PRIVATE KEY-----`). `subject` is your id of the user. The service rejects a token
    with another amount or corridor than the intent's. `lifetime_seconds` is 1 to 600.

    Raises ValueError when the lifetime, the key or a time is invalid, a text is empty, or the user
    is not verified or not clean: the service would reject the token.
    """
    _require_attested(kyc_attestation, sanctions_attestation)
    key = _private_key(private_key_pem)
    issued_at = whole_seconds("The time of `now`", now())
    header = {"alg": "RS256", "typ": "JWT", "kid": non_empty("kid", kid)}
    claims: Dict[str, object] = {
        "iss": non_empty("issuer", issuer),
        "aud": _AUDIENCE,
        "sub": non_empty("subject", subject),
        "iat": issued_at,
        "exp": issued_at + _checked_lifetime(lifetime_seconds),
        "jti": make_unique_text(),
        "service:intent_id": intent.intent_id,
        "service:amount_usd_cents": intent.amount_usd_cents,
        "service:corridor": intent.corridor,
        "service:kyc_attestation": {
            "verified": kyc_attestation.verified,
            "method": kyc_attestation.method,
            "verified_at": rfc3339("verified_at", kyc_attestation.verified_at),
        },
        "service:sanctions_attestation": {
            "clean": sanctions_attestation.clean,
            "screened_at": rfc3339("screened_at", sanctions_attestation.screened_at),
        },
    }
    return sign_token(f"{_segment(header)}.{_segment(claims)}", key)


def _require_attested(kyc: KycAttestation, sanctions: SanctionsAttestation) -> None:
    for what, is_given in (
        ("kyc_attestation.verified", kyc.verified),
        ("sanctions_attestation.clean", sanctions.clean),
    ):
        if is_given is not True:
            raise ValueError(
                f"{what} is not True, so the service rejects the token: check the user first."
            )


def sign_token(signing_input: str, key: RSAPrivateKey) -> str:
    signature = key.sign(signing_input.encode(), PKCS1v15(), SHA256())
    return f"{signing_input}.{_base64url(signature)}"


def _private_key(pem: str) -> RSAPrivateKey:
    text = non_empty("private_key_pem", pem)
    try:
        key = load_pem_private_key(text.encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as cause:
        raise ValueError(_NOT_A_KEY) from cause
    if not isinstance(key, RSAPrivateKey):
        raise ValueError(_NOT_A_KEY)
    return key


_NOT_A_KEY = (
    "private_key_pem is not an RSA private key in PKCS #8 PEM without a password: give the text"
    " that begins with -----BEGIN PRIVATE KEY-----, its line breaks included."
)


def _checked_lifetime(seconds: int) -> int:
    is_whole = isinstance(seconds, int) and not isinstance(seconds, bool)
    if is_whole and 1 <= seconds <= _LIFETIME_MAX_SECONDS:
        return seconds
    raise ValueError(
        f"lifetime_seconds is {seconds!r}: give 1 to {_LIFETIME_MAX_SECONDS} whole seconds."
    )


def _segment(members: Mapping[str, object]) -> str:
    return _base64url(json.dumps(members, separators=(",", ":")).encode())


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
