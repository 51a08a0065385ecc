"""Verifying Standard Webhooks (decision 18), compared with the published vectors."""

import base64
import json
import math
import unittest
from datetime import datetime, timedelta, timezone
from email.message import Message
from typing import Any, Dict, List

from payment_intents import (
    Intent,
    LocalAmount,
    PaymentIntentEvent,
    Payout,
    UnknownEvent,
    WebhookVerificationError,
    verify_webhook,
)
from payment_intents.webhooks import secret_keys, sign_webhook

from stub_service import vectors

SECRET = "whsec_" + base64.b64encode(b"\x07" * 32).decode()
OTHER_SECRET = "whsec_" + base64.b64encode(b"\x08" * 32).decode()
SENT_SECONDS = 1_736_937_003
EVENT: Dict[str, Any] = {
    "type": "payment_intent.captured",
    "timestamp": "2025-01-15T10:30:02Z",
    "data": {
        "intent_id": "pi_1",
        "status": "captured",
        "amount_usd_cents": 1250,
        "corridor": "th_qrpay",
        "created_at": "2025-01-15T10:30:00Z",
        "captured_at": "2025-01-15T10:30:02Z",
    },
    "payout": {
        "reference": "SB-1",
        "local": {"currency": "THB", "amount": 43125},
        "code": None,
    },
}
BODY = json.dumps(EVENT)


def at(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, timezone.utc)


def signature(body: str, secret: str = SECRET, head: str = f"evt_1.{SENT_SECONDS}") -> str:
    message_id, seconds = head.rsplit(".", 1)
    [key] = secret_keys([secret])
    return sign_webhook(message_id, seconds, body.encode(), key).decode()


def headers_for(body: str, *secrets: str) -> Dict[str, Any]:
    return {
        "webhook-id": "evt_1",
        "webhook-timestamp": str(SENT_SECONDS),
        "webhook-signature": " ".join(signature(body, secret) for secret in secrets or [SECRET]),
    }


def verify(
    body: Any = BODY, headers: Any = None, secrets: Any = (SECRET,), late: float = 0, **options: Any
) -> Any:
    given = headers_for(body) if headers is None else headers
    return verify_webhook(body, given, secrets, now=lambda: at(SENT_SECONDS + late), **options)


class VerifyWebhook(unittest.TestCase):
    def assert_rejected(self, reason: str, *args: Any, **options: Any) -> None:
        with self.assertRaises(WebhookVerificationError) as raised:
            verify(*args, **options)
        self.assertEqual(raised.exception.reason, reason)

    def test_makes_the_signature_of_every_vector_and_accepts_those_with_an_event(self) -> None:
        accepted = []
        for vector in vectors("signing.json")["webhooks"]:
            head, body = f"{vector['id']}.{vector['timestamp']}", vector["body"]
            self.assertEqual(signature(body, vector["secret"], head), vector["signature"])
            names = ["id", "timestamp", "signature"]
            headers = {f"webhook-{name}": vector[name] for name in names}
            late = int(vector["timestamp"]) - SENT_SECONDS
            try:
                accepted.append(verify(body.encode(), headers, [vector["secret"]], late).type)
            except WebhookVerificationError as error:
                # The example of Standard Webhooks, whose body is no event.
                self.assertEqual([error.reason, "type" in body], ["unreadable_body", False])
        self.assertEqual(accepted, ["payment_intent.captured"] * 2)

    def test_returns_the_event_with_its_id(self) -> None:
        seconds_2 = datetime(2025, 1, 15, 10, 30, 2, tzinfo=timezone.utc)
        created_at = seconds_2 - timedelta(seconds=2)
        intent = Intent("pi_1", "captured", 1250, "th_qrpay", created_at, seconds_2)
        payout = Payout("SB-1", LocalAmount("THB", 43125), None)
        expected = PaymentIntentEvent("evt_1", "payment_intent.captured", seconds_2, intent, payout)
        self.assertEqual(verify(), expected)

    def test_returns_a_payout_of_which_nothing_was_known(self) -> None:
        nothing = {"reference": None, "local": None, "code": None}
        self.assertEqual(verify(json.dumps({**EVENT, "payout": nothing})).payout, Payout())

    def test_accepts_the_headers_of_usual_servers(self) -> None:
        headers = headers_for(BODY)
        message = Message()
        for name, value in headers.items():
            message[name.title()] = value
        forms: List[Any] = [
            {name.upper(): value for name, value in headers.items()},
            {name: [value] for name, value in headers.items()},
            {name: ["", value] for name, value in headers.items()},
            message,
        ]
        for form in forms:
            body = BODY.encode()
            self.assertEqual(verify(body, form).id, "evt_1")
            self.assertEqual(verify(bytearray(body), form).id, "evt_1")

    def test_accepts_two_signatures_for_the_old_the_new_or_both_secrets(self) -> None:
        headers = headers_for(BODY, SECRET, OTHER_SECRET)
        for secrets in [[SECRET], [OTHER_SECRET], [OTHER_SECRET, SECRET]]:
            self.assertEqual(verify(BODY, headers, secrets).id, "evt_1")

    def test_finds_the_signature_among_others_however_they_were_joined(self) -> None:
        both = [signature(BODY, OTHER_SECRET), signature(BODY)]
        texts = [joint.join(order) for joint in [", ", " "] for order in [both, both[::-1]]]
        for given in [both, both[::-1], *texts, "v1a,xxxx " + both[1]]:
            headers = {**headers_for(BODY), "webhook-signature": given}
            self.assertEqual(verify(BODY, headers).id, "evt_1")

    def test_rejects_every_other_signature(self) -> None:
        right = signature(BODY)
        for given in [
            signature(BODY, OTHER_SECRET),
            signature(BODY + " "),
            signature(BODY, head=f"evt_2.{SENT_SECONDS}"),
            signature(BODY, head=f"evt_1.{SENT_SECONDS + 1}"),
            right.replace("v1,", "v1a,"),
            right.replace("v1,", "V1,"),
            right[3:],
            right[:-1],
            right + "é",
            "v1,",
            "\udcff",
        ]:
            headers = {**headers_for(BODY), "webhook-signature": given}
            with self.subTest(given=given):
                self.assert_rejected("no_matching_signature", BODY, headers)

    def test_accepts_a_time_within_the_tolerance_only(self) -> None:
        verify(late=300)
        verify(late=300.9)
        verify(late=-300)
        self.assert_rejected("timestamp_too_old", late=301)
        self.assert_rejected("timestamp_too_new", late=-301)
        self.assert_rejected("timestamp_too_old", late=11, tolerance_seconds=10)
        for seconds in [math.nan, -1]:
            with self.assertRaisesRegex(ValueError, "give 0 or more seconds"):
                verify(tolerance_seconds=seconds)

    def test_rejects_a_timestamp_that_is_not_whole_seconds(self) -> None:
        for timestamp in ["17369370O3", f"{SENT_SECONDS}.5", "-1", "1e9", " 1", "1\n", "１"]:
            headers = {**headers_for(BODY), "webhook-timestamp": timestamp}
            with self.subTest(timestamp=timestamp):
                self.assert_rejected("malformed_timestamp", BODY, headers)

    def test_rejects_a_missing_and_a_repeated_header(self) -> None:
        headers = headers_for(BODY)
        for name, value in headers.items():
            missing = {key: text for key, text in headers.items() if key != name}
            self.assert_rejected("missing_header", BODY, missing)
            self.assert_rejected("missing_header", BODY, {**headers, name: ""})
            if name != "webhook-signature":
                twice = {**headers, name.upper(): value}
                self.assert_rejected("repeated_header", BODY, twice)

    def test_accepts_members_and_types_that_a_later_revision_adds(self) -> None:
        more = {**EVENT, "livemode": True, "data": {**EVENT["data"], "merchant": {"name": "x"}}}
        self.assertEqual(verify(json.dumps(more)), verify())
        later = {"type": "payment_intent.disputed", "timestamp": "2025-01-15T10:30:02.123Z"}
        event = verify(json.dumps(later))
        self.assertIsInstance(event, UnknownEvent)
        self.assertEqual([event.type, event.data], ["payment_intent.disputed", None])
        self.assertEqual(verify(json.dumps({**later, "data": ["x"]})).data, ["x"])

    def test_rejects_a_signed_body_that_is_not_an_event(self) -> None:
        without_data = {name: EVENT[name] for name in ["type", "timestamp"]}
        texts = ["", "[]", "null", '{"type":1}', '{"type":"x"}', "[" * 100_000]
        local = {"currency": "THB", "amount": "43125"}
        changes: List[Dict[str, Any]] = [{"local": local}, {"local": {}}, {"code": 5}]
        payouts: List[Any] = [None, {}, *({**EVENT["payout"], **change} for change in changes)]
        wrong = [json.dumps({**EVENT, "payout": payout}) for payout in payouts]
        texts += ['{"type":"x","timestamp":"soon"}', json.dumps(without_data), *wrong]
        for body in texts:
            with self.subTest(body=body[-60:]):
                self.assert_rejected("unreadable_body", body)

    def test_names_a_mistake_of_the_program_and_what_to_do(self) -> None:
        headers = headers_for(BODY)
        with self.assertRaisesRegex(TypeError, r"raw_body is dict, perhaps a parsed body.*Flask"):
            verify_webhook(EVENT, headers, [SECRET])  # type: ignore[arg-type]
        with self.assertRaisesRegex(TypeError, r"secrets is one text: give a list"):
            verify_webhook(BODY, headers, SECRET)
        with self.assertRaisesRegex(ValueError, r"secrets is empty: is the variable"):
            verify_webhook(BODY, {}, [])
        with self.assertRaisesRegex(TypeError, r"headers is list: give a dict"):
            verify_webhook(BODY, [], [SECRET])  # type: ignore[arg-type]
        for secret in ["secret", "", "whsec_", "whsec_!", SECRET[:-1], f"{SECRET}\n", "whsec_é"]:
            with self.subTest(secret=secret), self.assertRaises(ValueError) as raised:
                verify_webhook(BODY, headers, [secret])
            self.assertIn("`whsec_` followed by the key in base64", str(raised.exception))
