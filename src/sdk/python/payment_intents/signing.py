"""Makes the canonical request and its signature (protocol 3.2 and 3.3)."""

import base64
import hashlib
import hmac


def canonical_request(method: str, path: str, timestamp: str, nonce: str, body: bytes) -> str:
    """Returns the string to sign: five components joined by single newlines.

    Give every part exactly as sent: `method` in capitals, `path` without query string, `timestamp`
    and `nonce` as in their headers, `body` empty when there is none.
    """
    return "\n".join([method, path, timestamp, nonce, body_digest(body)])


def body_digest(body: bytes) -> str:
    """Lowercase hex SHA-256 of the exact bytes; empty when the body is empty."""
    return hashlib.sha256(body).hexdigest() if body else ""


def sign_canonical_request(canonical: str, secret: str) -> str:
    """Base64 of HMAC-SHA256. The key is the UTF-8 bytes of the secret as issued."""
    mac = hmac.new(secret.encode(), canonical.encode(), hashlib.sha256)
    return base64.b64encode(mac.digest()).decode()
