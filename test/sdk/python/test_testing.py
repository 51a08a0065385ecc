"""Test webhooks of the SDK are those that the service sends (protocol 7)."""

import base64
import unittest
from datetime import datetime, timezone
from typing import Any, get_args

from payment_intents import (
    LocalAmount,
    PaymentIntentEvent,
    Payout,
    TestWebhook,
    WebhookEventType,
    WebhookVerificationError,
    generate_test_webhook,
    verify_webhook,
)

from stub_service import vectors

SECRET = "whsec_" + base64.b64encode(b"\x07" * 32).decode()
OTHER_SECRET = "whsec_" + base64.b64encode(b"\x08" * 32).decode()
AT = datetime(2025, 1, 15, 10, 30, 2, tzinfo=timezone.utc)


def generate(**options: Any) -> TestWebhook:
    return generate_test_webhook(**{"secrets": [SECRET], "now": lambda: AT, **options})


def verdict_on(webhook: TestWebhook, secret: str = SECRET) -> str:
    try:
        event = verify_webhook(webhook.body, webhook.headers, [secret], now=lambda: AT)
    except WebhookVerificationError as error:
        return error.reason
    return event.type


class ATestWebhook(unittest.TestCase):
    def test_of_each_type_is_accepted_and_has_its_status(self) -> None:
        for type_ in get_args(WebhookEventType):
            with self.subTest(type=type_):
                webhook = generate(type=type_, intent_id="pi_1", corridor="vn_qrpay")
                event = verify_webhook(webhook.body, webhook.headers, [SECRET], now=lambda: AT)
                assert isinstance(event, PaymentIntentEvent)
                self.assertEqual(f"payment_intent.{event.data.status}", type_)
                self.assertEqual((event.data.intent_id, event.data.corridor), ("pi_1", "vn_qrpay"))
                is_captured = event.data.status == "captured"
                self.assertEqual(event.data.captured_at, AT if is_captured else None)

    def test_with_a_fault_is_rejected(self) -> None:
        for type_ in get_args(WebhookEventType):
            tampered = generate(type=type_, fault="tampered")
            stale = generate(type=type_, fault="stale")
            self.assertEqual(verdict_on(tampered), "no_matching_signature")
            self.assertEqual(verdict_on(stale), "timestamp_too_old")

    def test_is_the_published_vector(self) -> None:
        # The vector was sent a second after its event, so only its body is equal.
        vector = vectors("signing.json")["webhooks"][0]
        payout = Payout("SB-ECF84D6A3A75", LocalAmount("THB", 43125))
        intent = {"intent_id": "pi_00000000000000000000000000", "payout": payout}
        webhook = generate(secrets=[vector["secret"]], **intent)
        self.assertEqual(webhook.body.decode(), vector["body"])

    def test_is_accepted_with_either_secret_and_with_no_other(self) -> None:
        both = generate(secrets=[OTHER_SECRET, SECRET])
        accepted = "payment_intent.captured"
        self.assertEqual([verdict_on(both), verdict_on(both, OTHER_SECRET)], [accepted] * 2)
        self.assertEqual(verdict_on(generate(), OTHER_SECRET), "no_matching_signature")

    def test_has_an_id_of_its_own_unless_one_is_given(self) -> None:
        ids = [generate().headers["webhook-id"] for _ in range(2)]
        self.assertRegex(ids[0], "^evt_[0-9a-z]{26}$")
        self.assertEqual(len(set(ids)), 2)
        self.assertEqual(generate(id="evt_1").headers["webhook-id"], "evt_1")

    def test_is_not_made_of_invalid_input(self) -> None:
        with self.assertRaisesRegex(TypeError, "secrets is one text"):
            generate(secrets=SECRET)
        with self.assertRaisesRegex(ValueError, "A webhook secret is"):
            generate(secrets=["secret"])
        with self.assertRaisesRegex(ValueError, "type is not one of"):
            generate(type="payment_intent.created")
