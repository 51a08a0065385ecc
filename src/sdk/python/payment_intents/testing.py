"""Makes webhooks for a partner's tests, byte for byte as the service sends them (protocol 7)."""

import json
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Dict, Literal, Mapping, Optional, Sequence, get_args

from .clock import Now, make_nonce, rfc3339, system_now, whole_seconds
from .intent import Corridor
from .webhooks import Payout, WebhookEventType, secret_keys, sign_webhook

_STALE = timedelta(hours=1)
_CREATED_BEFORE = timedelta(seconds=2)


@dataclass(frozen=True)
class TestWebhook:
    """Send it to your own receiver in a test."""

    # So that pytest does not take it for a test.
    __test__ = False

    #: With names in lower case.
    headers: Mapping[str, str]
    #: The raw body: send exactly these bytes.
    body: bytes


def generate_test_webhook(
    *,
    secrets: Sequence[str],
    type: WebhookEventType = "payment_intent.captured",
    id: Optional[str] = None,
    intent_id: Optional[str] = None,
    amount_usd_cents: int = 1250,
    corridor: Corridor = "th_qrpay",
    payout: Payout = Payout(),
    fault: Optional[Literal["tampered", "stale"]] = None,
    now: Now = system_now,
) -> TestWebhook:
    """Makes a signed webhook. It sends nothing.

    `secrets` are those that your receiver verifies with; two sign as during a rotation. `type`
    decides the intent's status too. Give one `id` twice to test that you act once per event. By
    default nothing was known of the payout. `tampered`: the amount was changed after signing.
    `stale`: sent an hour ago, such as a recorded request. Your receiver must answer 400 to both.

    Raises TypeError or ValueError when `secrets` or `type` is invalid.

        webhook = generate_test_webhook(secrets=[secret], intent_id=order.intent_id)
        response = app.test_client().post("/hook", data=webhook.body, headers=webhook.headers)
        assert response.status_code == 204
    """
    keys = secret_keys(secrets)
    if type not in get_args(WebhookEventType):
        raise ValueError(f"type is not one of {', '.join(get_args(WebhookEventType))}.")
    sent_at = now() - (_STALE if fault == "stale" else timedelta())
    status = type.split(".")[1]
    data: Dict[str, object] = {
        "intent_id": intent_id or f"pi_{_random_part()}",
        "status": status,
        "amount_usd_cents": amount_usd_cents,
        "corridor": corridor,
        "created_at": rfc3339("The time of `now`", sent_at - _CREATED_BEFORE),
    }
    at = rfc3339("The time of `now`", sent_at)
    if status == "captured":
        data["captured_at"] = at
    members = {"type": type, "timestamp": at, "data": data, "payout": asdict(payout)}
    event_id = id or f"evt_{_random_part()}"
    seconds = str(whole_seconds("The time of `now`", sent_at))
    body = _written(members)
    signatures = [sign_webhook(event_id, seconds, body, key).decode() for key in keys]
    headers = {
        "content-type": "application/json",
        "user-agent": "payment-intents-webhooks/1",
        "webhook-id": event_id,
        "webhook-timestamp": seconds,
        "webhook-signature": " ".join(signatures),
    }
    if fault == "tampered":
        data["amount_usd_cents"] = amount_usd_cents + 1
        body = _written(members)
    return TestWebhook(headers, body)


def _written(members: Mapping[str, object]) -> bytes:
    return json.dumps(members, separators=(",", ":")).encode()


def _random_part() -> str:
    """As long as in ids of the service, and of some of their characters."""
    return make_nonce()[:26]
