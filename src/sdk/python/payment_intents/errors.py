"""The error classes of the SDK, with closed sets of codes (protocol 8.2)."""

from typing import Dict, Literal, Mapping, NamedTuple, Optional, Tuple, get_args

#: The codes of protocol 8.2, and `unexpected_answer` for a response that does not look like one of
#: the service, such as that of a proxy.
ApiErrorCode = Literal[
    "validation_failed",
    "authentication_failed",
    "authorization_failed",
    "not_found",
    "conflict",
    "amount_below_minimum",
    "limit_exceeded",
    "internal_error",
    "unexpected_answer",
]

_CODES: Tuple[ApiErrorCode, ...] = get_args(ApiErrorCode)

_REPEAT = (
    " An earlier attempt of this call may have succeeded: create again with the same"
    " idempotency key, or get the intent."
)
_UNAUTHENTICATED = (
    " Check the key id, its secret and environment, your registered source address and your clock."
)


class AnswerFacts(NamedTuple):
    """Facts about a response that its body does not contain."""

    status: int
    request_id: Optional[str]
    is_repeat: bool
    idempotency_key: Optional[str] = None


class PaymentIntentsError(Exception):
    """The base of the three errors below."""


class ApiError(PaymentIntentsError):
    """The service rejected the request (protocol 8). Decide by `code`: texts may change.

    A call that ends in a 4xx has changed nothing, unless `is_repeat` is true. After any other
    status the outcome is unknown: it is safe to create again with `idempotency_key`, or to get the
    intent. The client has already retried a 503.
    """

    #: The HTTP status.
    status: int
    code: ApiErrorCode
    #: The service's own message.
    message: str
    #: Quote it when you ask the operator about the request. None when the response had none.
    request_id: Optional[str]
    #: True when an earlier attempt of this call got no response, or a 502, 503 or 504. It may have
    #: succeeded, whatever `code` says: create again with the same idempotency key, or get the
    #: intent.
    is_repeat: bool
    #: Of a create, also if the client made it: give it to the next call. Else None.
    idempotency_key: Optional[str]

    def __init__(self, facts: AnswerFacts, code: ApiErrorCode, message: str) -> None:
        self.status, self.request_id, self.is_repeat, self.idempotency_key = facts
        self.code = code
        self.message = message
        super().__init__(facts, code, message)

    def __str__(self) -> str:
        about = f" (request id {self.request_id})" if self.request_id else ""
        advice = _UNAUTHENTICATED if self.code == "authentication_failed" else ""
        return (
            f"The service answered {self.status} {self.code}{about}: {self.message}"
            f"{advice}{_REPEAT if self.is_repeat else ''}"
        )


#: Why a call has no answer, by its last attempt.
ConnectionFailure = Literal["timed_out", "no_answer"]


class ApiConnectionError(PaymentIntentsError):
    """The call got no answer: no connection, a reset one, or a timeout.

    **The outcome is unknown**, because the service may have received the request: create again with
    the same `idempotency_key`, or get the intent. `__cause__` is the last failure.
    """

    #: The number of attempts that were made.
    attempts: int
    reason: ConnectionFailure
    #: Of a create, also if the client made it: give it to the next call. Else None.
    idempotency_key: Optional[str]

    def __init__(
        self, attempts: int, reason: ConnectionFailure, idempotency_key: Optional[str] = None
    ) -> None:
        self.attempts = attempts
        self.reason = reason
        self.idempotency_key = idempotency_key
        super().__init__(attempts, reason, idempotency_key)

    def __str__(self) -> str:
        made = "1 attempt" if self.attempts == 1 else f"{self.attempts} attempts"
        failure = "No answer" if self.reason == "no_answer" else "No answer in time"
        key = self.idempotency_key
        advice = (
            "get the intent to learn it"
            if key is None
            else f"create again with the same Idempotency-Key, {key}"
        )
        return (
            f"{failure} from the service after {made} ({_last_words(self.__cause__)})."
            f" The outcome is unknown: {advice}."
        )


def _last_words(cause: Optional[BaseException]) -> str:
    return f"the last failed with {type(cause).__name__}: {cause}" if cause else "cause unknown"


#: Why a webhook was not accepted.
WebhookRefusal = Literal[
    "missing_header",
    "repeated_header",
    "malformed_timestamp",
    "timestamp_too_old",
    "timestamp_too_new",
    "no_matching_signature",
    "unreadable_body",
]

_REASONS: Dict[WebhookRefusal, str] = {
    "missing_header": "webhook-id, webhook-timestamp or webhook-signature is missing",
    "repeated_header": "webhook-id or webhook-timestamp has two values",
    "malformed_timestamp": "webhook-timestamp is not whole seconds since 1970",
    "timestamp_too_old": "it is older than the tolerance, or your clock is wrong",
    "timestamp_too_new": "it is from the future, or your clock is wrong",
    "no_matching_signature": (
        "no signature fits: it is forged, the secret is another endpoint's, or the body is not"
        " byte for byte as received"
    ),
    "unreadable_body": "its body does not hold an event",
}


class WebhookVerificationError(PaymentIntentsError):
    """The request is not a recent webhook of the service: answer 400 and do nothing else."""

    #: The reason, for your log. Do not return it to the sender.
    reason: WebhookRefusal

    def __init__(self, reason: WebhookRefusal) -> None:
        self.reason = reason
        super().__init__(reason)

    def __str__(self) -> str:
        return f"Webhook rejected ({self.reason}): {_REASONS[self.reason]}. Answer 400."


def parse_api_error(body: object, facts: AnswerFacts) -> ApiError:
    """Reads `{ error, message }` or `{ error: { code, message, request_id } }` (decision 2)."""
    flat: Mapping[str, object] = body if isinstance(body, dict) else {}
    error = flat.get("error")
    envelope: Mapping[str, object] = error if isinstance(error, dict) else {**flat, "code": error}
    code = envelope.get("code")
    message = _text(envelope.get("message")) or "The response has no message."
    request_id = facts.request_id or _text(envelope.get("request_id"))
    return ApiError(facts._replace(request_id=request_id), _known_code(code), message)


def _known_code(code: object) -> ApiErrorCode:
    for known in _CODES:
        if known == code:
            return known
    return "unexpected_answer"


def _text(value: object) -> Optional[str]:
    return value if isinstance(value, str) else None
