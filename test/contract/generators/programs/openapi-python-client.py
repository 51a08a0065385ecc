"""The client of openapi-python-client, which sends by httpx."""

import json
import os
import secrets

import httpx
from partner_payment_intent_api_client import AuthenticatedClient
from partner_payment_intent_api_client.api.payment_intents import create_payment_intent
from partner_payment_intent_api_client.models import (
    Corridor,
    CreateIntentRequest,
    PaymentIntent,
    PaymentIntentEvent,
    WebhookHeaders,
)
from signed_request import signed_headers


def add_signature(request: httpx.Request) -> None:
    request.headers.update(signed_headers(request.method, str(request.url), request.content))


# The key id is the first of four headers; `add_signature` sets all of them.
api = AuthenticatedClient(
    base_url=os.environ["BASE_URL"],
    token=os.environ["KEY_ID"],
    prefix="",
    auth_header_name="X-Service-Key-Id",
    timeout=httpx.Timeout(15),
    httpx_args={"event_hooks": {"request": [add_signature]}},
)
order = CreateIntentRequest("user-4711", 1250, Corridor.TH_QRPAY)
key = "order-" + secrets.token_hex(8)
intent = create_payment_intent.sync(client=api, body=order, idempotency_key=key)
if not isinstance(intent, PaymentIntent):
    raise SystemExit(f"rejected: {intent}")
print(intent.intent_id, intent.status.value, intent.amount_usd_cents, intent.corridor.value)

event = PaymentIntentEvent.from_dict(json.loads(os.environ["WEBHOOK_BODY"]))
headers = WebhookHeaders.from_dict(json.loads(os.environ["WEBHOOK_HEADERS"]))
print(headers.webhook_id, event.type_.value, event.data.status.value)
