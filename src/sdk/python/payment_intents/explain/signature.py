"""Shows every component of a signature and finds the mistake behind a wrong one.

The API cannot tell a caller why a signature is rejected: every 401 is the same (protocol 8.3).
"""

import hashlib
import re
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import List, Literal, Mapping, NamedTuple, Optional, Tuple, Union

from ..clock import whole_seconds
from ..intent import as_instant
from .mistaken_signing import MistakableRequest
from ..signing import body_digest, canonical_request, sign_canonical_request
from .signing_mistakes import SigningMistake, find_mistakes

_SKEW_MAX_SECONDS = 300


@dataclass(frozen=True)
class SignatureComponent:
    name: Literal["method", "path", "timestamp", "nonce", "body digest"]
    value: str
    #: The part of the request that the server reads it from.
    source: str


@dataclass(frozen=True)
class SignatureComparison:
    is_equal: bool
    #: One or two known mistakes that produce exactly your signature; empty when none is found.
    likely_mistakes: Tuple[SigningMistake, ...]


@dataclass(frozen=True)
class SignatureExplanation:
    #: The five components, in order.
    components: Tuple[SignatureComponent, ...]
    #: The components joined by single newlines.
    canonical_request: str
    #: The canonical request as the bytes that are signed.
    canonical_bytes: bytes
    #: Lowercase hex SHA-256 of these bytes, to compare with yours without revealing either.
    canonical_sha256: str
    #: The four signing headers, with the correct signature.
    headers: Mapping[str, str] = field(repr=False)
    #: Sentences about input that the service rejects for any signature, or that looks wrong.
    problems: Tuple[str, ...]
    #: None when no `signature` was given.
    comparison: Optional[SignatureComparison]


def explain_signature(
    *,
    key_id: str,
    signing_secret: str,
    method: str,
    target: str,
    timestamp: str,
    nonce: str,
    body: Union[bytes, str] = b"",
    signature: Optional[str] = None,
    now: Optional[datetime] = None,
) -> SignatureExplanation:
    """Signs a request as the service does and shows every step. It sends nothing.

    `target` is the path or the full URL; a query string is allowed and is not signed. `timestamp`
    and `nonce` are the texts of their headers. `body` is the exact bytes that are sent, or their
    text in UTF-8. `signature` is the one that your own code made of the same request. With `now` a
    timestamp that the service would reject is among the problems. The result does not contain the
    secret.

        explained = explain_signature(
            key_id=key_id, signing_secret=secret, method="POST", target="/v1/payment_intents",
            timestamp=timestamp, nonce=nonce, body=body, signature=my_signature,
        )
        print(explained.comparison, explained.problems)
    """
    origin, path, query = _parts_of(target)
    sent = body.encode() if isinstance(body, str) else bytes(body)
    canonical = canonical_request(method, path, timestamp, nonce, sent)
    right = sign_canonical_request(canonical, signing_secret)
    headers = {
        "X-Service-Key-Id": key_id,
        "X-Service-Timestamp": timestamp,
        "X-Service-Nonce": nonce,
        "X-Service-Signature": right,
    }
    given = {**headers, "X-Service-Signature": right if signature is None else signature}
    request = MistakableRequest(method, path, timestamp, nonce, sent, origin, query, signing_secret)
    return SignatureExplanation(
        components=_components(request),
        canonical_request=canonical,
        canonical_bytes=canonical.encode(),
        canonical_sha256=hashlib.sha256(canonical.encode()).hexdigest(),
        headers=headers,
        problems=_problems(request, given, now),
        # The caller knows both values, so no constant-time comparison is needed.
        comparison=(
            None
            if signature is None
            else SignatureComparison(signature == right, find_mistakes(request, signature))
        ),
    )


class _Parts(NamedTuple):
    origin: str
    path: str
    query: str


def _parts_of(target: str) -> _Parts:
    """Splits text, not a parsed URL: a URL parser would normalize the path, signed as sent."""
    found = re.match(r"(https?://[^/?#]*)?([^?#]*)(\?[^#]*)?", target, re.IGNORECASE)
    origin, path, query = found.groups("") if found else ("", "", "")
    return _Parts(origin, path, query)


def _components(request: MistakableRequest) -> Tuple[SignatureComponent, ...]:
    size = len(request.body)
    of_body = (
        f"the {size} bytes of the body: SHA-256, lowercase hex"
        if size
        else "the body, which is empty: the empty string"
    )
    return (
        SignatureComponent("method", request.method, "the request line"),
        SignatureComponent("path", request.path, "the request line, up to a question mark"),
        SignatureComponent("timestamp", request.timestamp, "the header X-Service-Timestamp"),
        SignatureComponent("nonce", request.nonce, "the header X-Service-Nonce"),
        SignatureComponent("body digest", body_digest(request.body), of_body),
    )


def _problems(
    request: MistakableRequest, given: Mapping[str, str], now: Optional[datetime]
) -> Tuple[str, ...]:
    secret, nonce = request.secret, request.nonce
    findings = [
        (
            not re.fullmatch("[A-Z]+", request.method),
            "The method is not in capitals. Sign it as on the request line.",
        ),
        (not request.path.startswith("/"), "The path does not begin with a slash."),
        (
            request.query != "",
            "The query string is not signed, and the service does not read it.",
        ),
        *(
            (value == "", f"{name} is missing: the service rejects the request.")
            for name, value in given.items()
        ),
        *((True, sentence) for sentence in _timestamp_problems(request.timestamp, now)),
        (
            nonce != "" and not re.fullmatch("[0-9a-f]{64}", nonce),
            "The nonce is not 64 lowercase hex characters: the service rejects it.",
        ),
        (secret == "", "The signing secret is empty."),
        (secret.strip() != secret, "The signing secret begins or ends with white space."),
    ]
    return tuple(sentence for is_there, sentence in findings if is_there)


def _timestamp_problems(timestamp: str, now: Optional[datetime]) -> List[str]:
    at = _parse_utc(timestamp)
    if at is None:
        malformed = "The timestamp is not RFC 3339 in UTC: the service rejects it."
        return [malformed] if timestamp != "" else []
    age = 0 if now is None else whole_seconds("now", now) - whole_seconds("timestamp", at)
    if abs(age) <= _SKEW_MAX_SECONDS:
        return []
    side = "behind" if age > 0 else "ahead of"
    return [
        f"The timestamp is {abs(age)} s {side} this clock. The service rejects it beyond"
        f" {_SKEW_MAX_SECONDS} s: sign just before you send."
    ]


def _parse_utc(timestamp: str) -> Optional[datetime]:
    try:
        at = as_instant({"timestamp": timestamp.upper()}, "timestamp")
    except ValueError:
        return None
    is_utc = re.search("([zZ]|[+]00:00)$", timestamp) is not None
    return at.astimezone(timezone.utc) if is_utc else None
