"""Signatures and session tokens as api/openapi.yaml describes them, independent of our own code.

The requests library passes its prepared request, so they cover exactly the bytes that are sent.
"""

import base64
import hashlib
import hmac
import itertools
import secrets
import time
import uuid
from datetime import datetime, timezone
from urllib.parse import urlsplit

import jwt
from requests import PreparedRequest
from requests.auth import AuthBase
from world import Intent, Partner, World

# For an intent that this run has not created: the token is valid, and the answer is 404.
UNKNOWN_INTENT: Intent = {"amount_usd_cents": 1, "corridor": "th_qrpay"}


class Signature(AuthBase):
    """The four signing headers."""

    def __init__(self, key_id: str, secret: str):
        self.key_id = key_id
        self.secret = secret.encode()

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        timestamp = rfc3339_now()
        nonce = secrets.token_hex(32)
        body = body_of(request)
        digest = hashlib.sha256(body).hexdigest() if body else ""
        canonical = "\n".join([str(request.method), path_of(request), timestamp, nonce, digest])
        signature = hmac.new(self.secret, canonical.encode(), hashlib.sha256).digest()
        request.headers["X-Service-Key-Id"] = self.key_id
        request.headers["X-Service-Timestamp"] = timestamp
        request.headers["X-Service-Nonce"] = nonce
        request.headers["X-Service-Signature"] = base64.b64encode(signature).decode()
        return request


class SessionToken(AuthBase):
    """A bearer token for the intent in the path, signed by the partner's key by default."""

    def __init__(self, partner: Partner, intents: dict[str, Intent], key: object = None):
        self.partner = partner
        self.intents = intents
        self.key = key or partner["session_private_key_pem"]

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        intent_id = path_of(request).split("/")[3]
        intent = self.intents.get(intent_id, UNKNOWN_INTENT)
        now = int(time.time())
        claims = {
            "iss": self.partner["issuer"],
            "aud": "service-checkout",
            "sub": "user-4711",
            "iat": now,
            "exp": now + 600,
            "jti": str(uuid.uuid4()),
            "service:intent_id": intent_id,
            "service:amount_usd_cents": intent["amount_usd_cents"],
            "service:corridor": intent["corridor"],
            "service:kyc_attestation": {
                "verified": True,
                "method": "document",
                "verified_at": rfc3339_now(),
            },
            "service:sanctions_attestation": {"clean": True, "screened_at": rfc3339_now()},
        }
        header = {"kid": self.partner["session_kid"]}
        token = jwt.encode(claims, self.key, algorithm="RS256", headers=header)
        request.headers["Authorization"] = f"Bearer {token}"
        return request


class OperationCredentials(AuthBase):
    """The kind of credentials that the operation takes. Where it takes both, they take turns."""

    def __init__(self, signature: Signature, token: SessionToken):
        self.signature = signature
        self.token = token
        self.turns = itertools.cycle([signature, token])

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        return self._kind_for(request)(request)

    def _kind_for(self, request: PreparedRequest) -> AuthBase:
        segments = path_of(request).split("/")
        if segments[-1] == "confirm":
            return self.token
        is_get = request.method == "GET" and len(segments) == 4
        return next(self.turns) if is_get else self.signature


def good_credentials(world: World) -> OperationCredentials:
    partner = world.partner
    signature = Signature(partner["key_id"], partner["signing_secret"])
    return OperationCredentials(signature, SessionToken(partner, world.intents))


def forged_credentials(world: World) -> OperationCredentials:
    """Everything public is right. Only the secret and the private key are wrong."""
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    signature = Signature(world.partner["key_id"], secrets.token_hex(32))
    return OperationCredentials(signature, SessionToken(world.partner, world.intents, key))


def body_of(request: PreparedRequest) -> bytes:
    body = request.body or b""
    return body.encode() if isinstance(body, str) else bytes(body)


def path_of(request: PreparedRequest) -> str:
    return urlsplit(request.path_url).path


def rfc3339_now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
