"""The headers of a signed request: the guide's `sign`, for the transports of generated clients."""

import os
import secrets
from datetime import datetime, timezone
from urllib.parse import urlsplit

from create_intent import sign


def signed_headers(method: str, url: str, body: bytes) -> dict[str, str]:
    timestamp = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    nonce = secrets.token_hex(32)
    secret = os.environ["SIGNING_SECRET"]
    return {
        "X-Service-Key-Id": os.environ["KEY_ID"],
        "X-Service-Timestamp": timestamp,
        "X-Service-Nonce": nonce,
        "X-Service-Signature": sign(method, urlsplit(url).path, timestamp, nonce, body, secret),
    }
