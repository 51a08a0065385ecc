"""Sends one signed call with retries (protocol 3).

Every attempt has its own timestamp, nonce and signature, because a nonce is rejected if seen
before. The idempotency key stays the same (decision 14). A 401 is retried at most once, if the
service's `Date` shows a wrong clock.
"""

import random
import re
import socket
from dataclasses import dataclass, field, replace
from typing import Callable, Dict, NamedTuple, Optional, Tuple
from urllib.parse import urlsplit

from .clock import Now, make_nonce, rfc3339
from .errors import ApiConnectionError, ConnectionFailure
from .http_exchange import ANSWER_MAX_BYTES, HttpAnswer, HttpRequest, Send
from .service_clock import ServiceClock
from .signing import canonical_request, sign_canonical_request

_FIRST_PAUSE_SECONDS = 0.2
_PAUSE_MAX_SECONDS = 5.0

# Temporary failures: the service's own 503, and the codes of a proxy in front of it.
_TEMPORARY_STATUSES = (502, 503, 504)


@dataclass(frozen=True)
class Transport:
    base_url: str
    key_id: str
    signing_secret: str = field(repr=False)
    timeout_seconds: float
    max_attempts: int
    clock: ServiceClock
    send: Send
    #: Pauses for a number of seconds.
    wait: Callable[[float], None]


class ApiCall(NamedTuple):
    method: str
    #: The path from `/v1` on, already encoded.
    path: str
    body: bytes = b""
    idempotency_key: Optional[str] = None


class ApiAnswer(NamedTuple):
    http: HttpAnswer
    #: Whether an earlier attempt, without a response or with 502, 503 or 504, may have succeeded.
    is_repeat: bool
    idempotency_key: Optional[str]


@dataclass(frozen=True)
class _Sending:
    call: ApiCall
    transport: Transport
    now: Now
    #: The number of attempts so far.
    attempts: int = 0
    is_repeat: bool = False


def send_signed(call: ApiCall, transport: Transport) -> ApiAnswer:
    """Raises ApiConnectionError when the last attempt got no response."""
    clock = transport.clock
    sent, answer = _send_until_answered(_Sending(call, transport, clock.now))
    is_rejected = answer.status == 401 and sent.attempts < transport.max_attempts
    correction = clock.corrected_by(answer.header("Date")) if is_rejected else None
    if correction is not None:
        sent, answer = _send_until_answered(replace(sent, now=correction.now))
        # The service accepted the timestamp. A proxy or login page may answer 3xx and 4xx.
        if answer.status in (200, 201):
            clock.apply(correction)
    return ApiAnswer(answer, sent.is_repeat, call.idempotency_key)


def _send_until_answered(sending: _Sending) -> Tuple[_Sending, HttpAnswer]:
    transport = sending.transport
    while True:
        answer, failure = _attempt(sending)
        sending = replace(sending, attempts=sending.attempts + 1)
        is_last = sending.attempts >= transport.max_attempts
        if answer is None:
            if is_last:
                key = sending.call.idempotency_key
                raise ApiConnectionError(sending.attempts, _reason(failure), key) from failure
        elif is_last or answer.status not in _TEMPORARY_STATUSES:
            return sending, answer
        sending = replace(sending, is_repeat=True)
        transport.wait(_pause_seconds(sending.attempts, answer))


def _reason(failure: Optional[Exception]) -> ConnectionFailure:
    # Python 3.9 has a class of its own for the timeout of a socket.
    return "timed_out" if isinstance(failure, (TimeoutError, socket.timeout)) else "no_answer"


def _attempt(sending: _Sending) -> Tuple[Optional[HttpAnswer], Optional[Exception]]:
    """Returns either an answer, or the reason why there is none."""
    call, transport = sending.call, sending.transport
    request = HttpRequest(
        method=call.method,
        url=transport.base_url + call.path,
        headers=_signed_headers(sending),
        body=call.body,
        timeout_seconds=transport.timeout_seconds,
    )
    try:
        return _without_long_body(transport.send(request)), None
    except Exception as failure:  # the `send` of a partner raises what its library raises
        return None, failure


def _without_long_body(answer: HttpAnswer) -> HttpAnswer:
    """A body that is too long holds no intent and no error."""
    return answer if len(answer.body) <= ANSWER_MAX_BYTES else replace(answer, body=b"")


def _signed_headers(sending: _Sending) -> Dict[str, str]:
    call, transport = sending.call, sending.transport
    timestamp = rfc3339("The time of `now`", sending.now())
    nonce = make_nonce()
    path = urlsplit(transport.base_url).path + call.path
    canonical = canonical_request(call.method, path, timestamp, nonce, call.body)
    headers = {
        "X-Service-Key-Id": transport.key_id,
        "X-Service-Timestamp": timestamp,
        "X-Service-Nonce": nonce,
        "X-Service-Signature": sign_canonical_request(canonical, transport.signing_secret),
    }
    if call.body:
        headers["Content-Type"] = "application/json"
    if call.idempotency_key is not None:
        headers["Idempotency-Key"] = call.idempotency_key
    return headers


def _pause_seconds(attempts: int, answer: Optional[HttpAnswer]) -> float:
    """The pause before the next attempt: `Retry-After`, or else 0.2 s, doubled each time.

    Up to half of it is added at random, so that callers do not return at the same time.
    """
    requested = answer.header("Retry-After") if answer else ""
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", requested):
        pause = float(requested)
    else:
        pause = _FIRST_PAUSE_SECONDS * 2 ** min(attempts - 1, 30)
    return min(pause * (1 + random.random() / 2), _PAUSE_MAX_SECONDS)
