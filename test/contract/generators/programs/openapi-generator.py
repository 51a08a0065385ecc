"""The client of openapi-generator, `python`, which sends by urllib3."""

import os
import secrets
from typing import Any

import urllib3
from client import ApiClient, Configuration, PaymentIntentsApi
from client.models import Corridor, CreateIntentRequest, PaymentIntentEvent, WebhookHeaders
from signed_request import signed_headers


class SignedPool(urllib3.PoolManager):
    def urlopen(  # type: ignore[override]
        self, method: str, url: str, redirect: bool = True, **sent: Any
    ) -> urllib3.BaseHTTPResponse:
        body = sent.get("body") or b""
        content = body.encode() if isinstance(body, str) else body
        sent["headers"] = {**sent["headers"], **signed_headers(method, url, content)}
        return super().urlopen(method, url, redirect, **{**sent, "body": content})


sender = ApiClient(Configuration(host=os.environ["BASE_URL"]))
# urllib3 would repeat a GET after a 503 with the same nonce, which is answered 401.
sender.rest_client.pool_manager = SignedPool(retries=False)
api = PaymentIntentsApi(sender)
order = CreateIntentRequest(
    partner_user_id="user-4711", amount_usd_cents=1250, corridor=Corridor.TH_QRPAY
)
intent = api.create_payment_intent(
    order, idempotency_key="order-" + secrets.token_hex(8), _request_timeout=15.0
)
print(intent.intent_id, intent.status.value, intent.amount_usd_cents, intent.corridor.value)

event = PaymentIntentEvent.from_json(os.environ["WEBHOOK_BODY"])
headers = WebhookHeaders.from_json(os.environ["WEBHOOK_HEADERS"])
assert event and headers
print(headers.webhook_id, event.type, event.data.status.value)
