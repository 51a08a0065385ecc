"""The client of a partner backend for the signed endpoints create, get and cancel (protocol 5.1).

Confirm is not included: it accepts only session tokens.
"""

import json
import time
from dataclasses import replace
from datetime import datetime
from typing import Callable, Optional
from urllib.parse import quote

from .clock import Now, make_unique_text, system_now
from .client_options import (
    checked_base_url,
    checked_idempotency_key,
    checked_key_id,
    checked_timeout,
    non_empty,
    whole_from_one,
)
from .errors import AnswerFacts, ApiError, parse_api_error
from .http_exchange import Send, make_send
from .intent import Corridor, Intent, parse_intent
from .service_clock import ServiceClock
from .transport import ApiAnswer, ApiCall, Transport, send_signed

_PATH = "/v1/payment_intents"


class Client:
    """Signs every request, and stops each attempt after `timeout_seconds`.

    It retries with a fresh nonce after a network error or a 502, 503 or 504, and once after a 401
    if the response's `Date` shows that your clock is wrong, see `now`. Every method raises ApiError
    when the service rejects the request, and ApiConnectionError when the last attempt got no
    response.

    It holds no connection; its only state is the correction of your clock. Create one client and
    reuse it, in several threads if you like.

        client = Client(base_url="https://pay.example", key_id=key_id, signing_secret=secret)
        intent = client.create_intent(
            partner_user_id="user-4711",
            amount_usd_cents=1250,
            corridor="th_qrpay",
            idempotency_key="order-2024-000815",
        )
    """

    def __init__(
        self,
        *,
        base_url: str,
        key_id: str,
        signing_secret: str,
        timeout_seconds: float = 15.0,
        max_attempts: int = 3,
        now: Now = system_now,
        send: Optional[Send] = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """Raises TypeError or ValueError when an option is invalid.

        `base_url` is that of the environment, without `/v1`. `signing_secret` is the text as
        issued. `timeout_seconds` is the longest time of one attempt, the look-up of the host's name
        excepted. `max_attempts` is the number of attempts per call, including the first. `now` is
        the clock for request timestamps. `send` replaces the standard library's HTTP, for your own
        proxy or tests; `wait` replaces the pause between attempts, for tests.
        """
        self._transport = Transport(
            base_url=checked_base_url("base_url", base_url),
            key_id=checked_key_id(key_id),
            signing_secret=non_empty("signing_secret", signing_secret),
            timeout_seconds=checked_timeout(timeout_seconds),
            max_attempts=whole_from_one("max_attempts", max_attempts),
            clock=ServiceClock(now),
            send=send or make_send(),
            wait=wait,
        )

    def create_intent(
        self,
        *,
        partner_user_id: str,
        amount_usd_cents: int,
        corridor: Corridor,
        idempotency_key: Optional[str] = None,
        timeout_seconds: Optional[float] = None,
    ) -> Intent:
        """Creates an intent. Safe to repeat with the same idempotency key.

        `partner_user_id` is your opaque id of the user, 1 to 256 characters, without personal data.
        `amount_usd_cents` is whole US cents: 1250 is 12.50 dollars. `idempotency_key` is 1 to 256
        printable ASCII characters. Without one the client makes a random key, which protects only
        the retries of this call: set your own, such as the order number, to be safe after a crash
        of your process too.

        ApiError has the code `validation_failed` (400, also for a key that was used with another
        body), `authentication_failed` (401), `authorization_failed` (403), `amount_below_minimum`
        (422), `limit_exceeded` (429) or `internal_error` (500, 503).
        """
        key = make_unique_text() if idempotency_key is None else idempotency_key
        members = {
            "partner_user_id": partner_user_id,
            "amount_usd_cents": whole_from_one("amount_usd_cents", amount_usd_cents),
            "corridor": corridor,
        }
        body = json.dumps(members, separators=(",", ":")).encode()
        call = ApiCall("POST", _PATH, body, checked_idempotency_key(key))
        return _intent_in(send_signed(call, self._transport_of(timeout_seconds)))

    def get_intent(self, intent_id: str, *, timeout_seconds: Optional[float] = None) -> Intent:
        """Fetches one of your intents. It changes nothing.

        ApiError has the code `authentication_failed` (401), `authorization_failed` (403),
        `not_found` (404) or `internal_error` (500, 503).
        """
        call = ApiCall("GET", _path_of(intent_id))
        return _intent_in(send_signed(call, self._transport_of(timeout_seconds)))

    def cancel_intent(self, intent_id: str, *, timeout_seconds: Optional[float] = None) -> Intent:
        """Cancels an intent whose payout was not sent yet.

        A retry that finds the intent already cancelled by the first attempt returns the cancelled
        intent. ApiError has the codes of `get_intent`, and `conflict` (409) when it is too late or
        the intent was cancelled before.
        """
        transport = self._transport_of(timeout_seconds)
        path = _path_of(intent_id)
        answer = send_signed(ApiCall("POST", f"{path}/cancel"), transport)
        if answer.http.status == 409 and answer.is_repeat:
            # It means success if a first attempt, whose answer was lost, has cancelled it.
            found = send_signed(ApiCall("GET", path), transport)
            intent = _intent_in(found._replace(is_repeat=True))
            if intent.status == "cancelled":
                return intent
        return _intent_in(answer)

    def now(self) -> datetime:
        """Your clock as corrected by this client.

        Pass this method to `mint_session_token` and `verify_webhook` where your clock may be wrong.
        When a request gets a 401 whose `Date` is between a minute and a day away from your time,
        the client sends it once more with a corrected clock, and keeps the correction only if the
        service accepts that request. Synchronize your clock anyway: before the first call there is
        no correction.
        """
        return self._transport.clock.now()

    def _transport_of(self, timeout_seconds: Optional[float]) -> Transport:
        if timeout_seconds is None:
            return self._transport
        return replace(self._transport, timeout_seconds=checked_timeout(timeout_seconds))


def _intent_in(answer: ApiAnswer) -> Intent:
    http = answer.http
    request_id = http.header("X-Request-Id") or None
    facts = AnswerFacts(http.status, request_id, answer.is_repeat, answer.idempotency_key)
    body = _parse_json(http.body)
    if http.status not in (200, 201):
        raise parse_api_error(body, facts)
    try:
        return parse_intent(body)
    except ValueError as cause:
        message = f"It does not hold a payment intent: {cause}."
        raise ApiError(facts, "unexpected_answer", message) from cause


def _parse_json(body: bytes) -> object:
    try:
        parsed: object = json.loads(body.decode("utf-8", "replace"))
        return parsed
    except (ValueError, RecursionError):
        # Not JSON: a response of a proxy, or an empty one. The caller decides by the status.
        return None


def _path_of(intent_id: str) -> str:
    return f"{_PATH}/{quote(non_empty('intent_id', intent_id), safe='')}"
