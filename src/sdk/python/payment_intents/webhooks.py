"""Verifies and reads a webhook (protocol 7). The scheme is Standard Webhooks (decision 18)."""

import base64
import hashlib
import hmac
import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Iterable, List, Literal, Mapping, Optional, Protocol, Sequence, Tuple, Union
from typing import get_args

from .clock import Now, system_now, whole_seconds
from .errors import WebhookVerificationError
from .intent import Intent, as_instant, as_object, as_text, as_whole_number, parse_intent

WebhookEventType = Literal[
    "payment_intent.captured",
    "payment_intent.failed",
    "payment_intent.refunded",
    "payment_intent.expired",
    "payment_intent.cancelled",
]

_KNOWN_TYPES: Tuple[WebhookEventType, ...] = get_args(WebhookEventType)
_TOLERANCE_DEFAULT_SECONDS = 300
_SECRET_PREFIX = "whsec_"


@dataclass(frozen=True)
class LocalAmount:
    #: ISO 4217: `THB` or `VND`.
    currency: str
    #: In minor units: satang, or whole dong.
    amount: int


@dataclass(frozen=True)
class Payout:
    """What was known of the payout when the event happened; None where it was not."""

    #: The payout provider's own id of the payment.
    reference: Optional[str] = None
    #: What the payee got; until the provider says that, what was ordered.
    local: Optional[LocalAmount] = None
    #: Why the intent failed, such as `payee_closed`. Codes may be added.
    code: Optional[str] = None


@dataclass(frozen=True)
class PaymentIntentEvent:
    """A known event about a payment intent."""

    #: The event's id, the same on every attempt: store it and act once.
    id: str
    type: WebhookEventType
    #: When the event happened. Attempts may be days later.
    timestamp: datetime
    #: The intent when the event happened.
    data: Intent
    payout: Payout


@dataclass(frozen=True)
class UnknownEvent:
    """An event of a type that a later revision has added: answer 204 and do nothing."""

    id: str
    type: str
    timestamp: datetime
    #: The member `data` as received; None when there is none.
    data: object


WebhookEvent = Union[PaymentIntentEvent, UnknownEvent]


class WebhookHeaders(Protocol):
    """A dict, or the headers of http.server, Flask, Django or Starlette. Names in any case."""

    def items(self) -> Iterable[Tuple[str, object]]: ...


def verify_webhook(
    raw_body: Union[bytes, str],
    headers: WebhookHeaders,
    secrets: Sequence[str],
    *,
    tolerance_seconds: float = _TOLERANCE_DEFAULT_SECONDS,
    now: Now = system_now,
) -> WebhookEvent:
    """Accepts a webhook if one of its signatures was made with one of the secrets, near your time.

    `raw_body` is the body exactly as received, before any parser. `secrets` holds your `whsec_…`
    secret; during a rotation the old and the new one. `tolerance_seconds` is the largest difference
    between the attempt's time and yours.

    Signatures are compared in constant time. New event types and members are accepted. Attempts
    repeat until you answer 2xx, so act once per `id`. Events may arrive in any order.

    Raises WebhookVerificationError when it is not a recent webhook of the service, and TypeError or
    ValueError when your program or your settings are wrong.

        event = verify_webhook(request.get_data(), request.headers, [webhook_secret])
        if isinstance(event, PaymentIntentEvent) and event.type == "payment_intent.captured":
            ship_once(event.id, event.data.intent_id)
    """
    body = _as_bytes(raw_body)
    keys = secret_keys(secrets)
    message_id = _one_value(headers, "webhook-id")
    timestamp = _one_value(headers, "webhook-timestamp")
    _check_time(timestamp, tolerance_seconds, now)
    expected = [sign_webhook(message_id, timestamp, body, key) for key in keys]
    _check_signature(_values(headers, "webhook-signature"), expected)
    return _read_event(message_id, body)


def _as_bytes(raw_body: Union[bytes, str]) -> bytes:
    if isinstance(raw_body, str):
        return _encoded(raw_body)
    if isinstance(raw_body, (bytes, bytearray, memoryview)):
        return bytes(raw_body)
    raise TypeError(
        f"raw_body is {type(raw_body).__name__}, perhaps a parsed body: the signature covers the"
        " bytes as received. Give request.get_data() (Flask), request.body (Django) or"
        " await request.body() (Starlette, FastAPI)."
    )


def secret_keys(secrets: Sequence[str]) -> List[bytes]:
    if isinstance(secrets, (str, bytes)):
        raise TypeError("secrets is one text: give a list, such as [webhook_secret].")
    keys = [_key(secret) for secret in secrets]
    if not keys:
        raise ValueError("secrets is empty: is the variable of the secret set?")
    return keys


def _key(secret: str) -> bytes:
    is_prefixed = isinstance(secret, str) and secret.startswith(_SECRET_PREFIX)
    text = secret[len(_SECRET_PREFIX) :] if is_prefixed else ""
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        key = b""
    # Another spelling of the same key is probably a mistyped one.
    if text == "" or base64.b64encode(key).decode() != text:
        raise ValueError(
            "A webhook secret is `whsec_` followed by the key in base64: give it as you got it."
        )
    return key


def _check_time(timestamp: str, tolerance_seconds: float, now: Now) -> None:
    # With NaN the comparisons below would accept every timestamp.
    if not tolerance_seconds >= 0:
        raise ValueError(f"tolerance_seconds is {tolerance_seconds}: give 0 or more seconds.")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("malformed_timestamp")
    age_seconds = whole_seconds("The time of `now`", now()) - int(timestamp)
    if age_seconds > tolerance_seconds:
        raise WebhookVerificationError("timestamp_too_old")
    if age_seconds < -tolerance_seconds:
        raise WebhookVerificationError("timestamp_too_new")


def _check_signature(values: Sequence[str], expected: Sequence[bytes]) -> None:
    # Signatures of other schemes, such as `v1a`, match nothing and are ignored. HTTP may join
    # repeated headers with a comma and a space.
    given = [_encoded(one) for value in values for one in re.split(r",? +", value)]
    if not any(hmac.compare_digest(one, other) for one in given for other in expected):
        raise WebhookVerificationError("no_matching_signature")


def sign_webhook(message_id: str, timestamp: str, body: bytes, key: bytes) -> bytes:
    """One signature of Standard Webhooks, `v1,<base64>`."""
    signed = b".".join([_encoded(message_id), timestamp.encode(), body])
    return b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())


def _read_event(event_id: str, body: bytes) -> WebhookEvent:
    try:
        members = as_object(json.loads(body.decode("utf-8", "replace")))
        timestamp = as_instant(members, "timestamp")
        type_ = as_text(members, "type")
        for known in _KNOWN_TYPES:
            if known == type_:
                intent = parse_intent(members.get("data"))
                payout = _parse_payout(as_object(members.get("payout")))
                return PaymentIntentEvent(event_id, known, timestamp, intent, payout)
        return UnknownEvent(event_id, type_, timestamp, members.get("data"))
    except (ValueError, RecursionError) as cause:
        raise WebhookVerificationError("unreadable_body") from cause


def _parse_payout(members: Mapping[str, object]) -> Payout:
    def text(name: str) -> Optional[str]:
        return None if members.get(name, "") is None else as_text(members, name)

    value = members.get("local", "")
    local = None if value is None else _parse_local(as_object(value))
    return Payout(text("reference"), local, text("code"))


def _parse_local(members: Mapping[str, object]) -> LocalAmount:
    return LocalAmount(as_text(members, "currency"), as_whole_number(members, "amount"))


def _one_value(headers: WebhookHeaders, name: str) -> str:
    value, *more = _values(headers, name)
    if more:
        raise WebhookVerificationError("repeated_header")
    return value


def _values(headers: WebhookHeaders, name: str) -> List[str]:
    """At least one value. A value may be a list of texts, as some servers give repeated headers."""
    if not hasattr(headers, "items"):
        raise TypeError(f"headers is {type(headers).__name__}: give a dict or request.headers.")
    listed = [value for key, value in headers.items() if key.lower() == name]
    lists = [value if isinstance(value, (list, tuple)) else [value] for value in listed]
    given = [text for texts in lists for text in texts if isinstance(text, str) and text != ""]
    if not given:
        raise WebhookVerificationError("missing_header")
    return given


def _encoded(text: str) -> bytes:
    # Servers may decode what is not UTF-8 to surrogates, which match no signature.
    return text.encode("utf-8", "surrogatepass")
