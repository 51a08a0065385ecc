"""Options are checked early, so that a missing setting does not look like a rejection."""

import unittest
from typing import Any, Dict, List, Tuple, Type

from payment_intents import checkout_url

from stub_service import FOUND, StubService, a_client, create

Mistake = Tuple[Dict[str, Any], Type[Exception], str]


class CreatingAClient(unittest.TestCase):
    def test_rejects_a_mistake_and_says_what_to_do(self) -> None:
        mistakes: List[Mistake] = [
            ({"base_url": ""}, ValueError, "base_url is empty: is its environment variable"),
            ({"base_url": None}, TypeError, "base_url is NoneType: give a text"),
            ({"base_url": "pay.example"}, ValueError, "base_url is not an absolute URL: give"),
            ({"base_url": "ftp://pay.example"}, ValueError, "base_url is not an absolute URL"),
            ({"base_url": "https://pay.example\n"}, ValueError, "without spaces"),
            ({"base_url": "https://u:p@pay.example"}, ValueError, "credentials"),
            ({"base_url": "https://pay.example?a=b"}, ValueError, "query"),
            ({"base_url": "https://pay.example/é"}, ValueError, "not an absolute URL"),
            ({"base_url": "https://pay.example:99999"}, ValueError, "has an invalid port"),
            ({"base_url": "https://pay.example:0"}, ValueError, "has the port 0"),
            ({"base_url": "https://pay.example/v1"}, ValueError, "has /v1 in it, which the client"),
            ({"base_url": "https://pay.example/v1/"}, ValueError, "remove it"),
            ({"base_url": "https://pay.example/v1/payment_intents"}, ValueError, "remove it"),
            ({"key_id": ""}, ValueError, "key_id is empty"),
            ({"key_id": "acme_sandbox_2025q1\n"}, ValueError, "key_id has a space or a line end"),
            ({"key_id": "clé"}, ValueError, "key_id has a space or a line end"),
            ({"signing_secret": ""}, ValueError, "signing_secret is empty"),
            ({"signing_secret": None}, TypeError, "signing_secret is NoneType"),
            ({"signing_secret": b"x"}, TypeError, "signing_secret is bytes"),
            ({"max_attempts": 0}, ValueError, "max_attempts is 0: give a whole number"),
            ({"max_attempts": 1.5}, TypeError, "max_attempts is 1.5, not a whole number"),
            ({"timeout_seconds": 0}, ValueError, "timeout_seconds is 0: give more than 0"),
            ({"timeout_seconds": float("nan")}, ValueError, "timeout_seconds is nan"),
            ({"timeout_seconds": "15"}, TypeError, "timeout_seconds is str: give a number"),
        ]
        for options, error, message in mistakes:
            with self.subTest(options=options), self.assertRaises(error) as raised:
                a_client(StubService(FOUND), **options)
            self.assertIn(message, str(raised.exception))

    def test_never_repeats_credentials_of_a_base_url(self) -> None:
        with self.assertRaises(ValueError) as raised:
            a_client(StubService(FOUND), base_url="https://user:hunter2@pay.example")
        self.assertNotIn("hunter2", str(raised.exception))

    def test_shows_no_secret_in_its_representation(self) -> None:
        client = a_client(StubService(FOUND))
        self.assertNotIn("a signing secret", repr(client) + repr(client._transport))


class CreatingAnIntent(unittest.TestCase):
    def rejected(self, **order: Any) -> str:
        service = StubService(FOUND)
        with self.assertRaises((TypeError, ValueError)) as raised:
            create(a_client(service), **order)
        self.assertEqual(service.sent, [])
        return str(raised.exception)

    def test_rejects_an_idempotency_key_that_a_header_cannot_carry_unchanged(self) -> None:
        for key in ["", " order", "order ", "заказ", "a\nb", "a\n", "x" * 257, 815]:
            with self.subTest(key=key):
                self.assertIn("give one such as", self.rejected(idempotency_key=key))

    def test_accepts_an_idempotency_key_of_256_characters(self) -> None:
        service = StubService(FOUND)
        key = "order 815 / " + "~" * 244
        create(a_client(service), idempotency_key=key)
        self.assertEqual(service.headers_sent("Idempotency-Key"), [key])

    def test_rejects_dollars_as_an_amount(self) -> None:
        self.assertIn("amount_usd_cents is 12.5", self.rejected(amount_usd_cents=12.5))
        self.assertIn("amount_usd_cents is '1250'", self.rejected(amount_usd_cents="1250"))
        self.assertIn("amount_usd_cents is True", self.rejected(amount_usd_cents=True))

    def test_rejects_an_intent_where_its_id_belongs(self) -> None:
        client = a_client(StubService(FOUND))
        intent: Any = create(client)
        with self.assertRaisesRegex(TypeError, "intent_id is Intent: give a text"):
            client.get_intent(intent)
        with self.assertRaisesRegex(ValueError, "intent_id is empty"):
            client.cancel_intent("")


class CheckoutUrl(unittest.TestCase):
    given = {"intent_id": "pi_1", "session_token": "a.b-_.c"}

    def test_is_the_flow_page_with_the_token_in_its_fragment(self) -> None:
        url = checkout_url(checkout_base_url="https://checkout.example/", **self.given)
        self.assertEqual(url, "https://checkout.example/flow/pi_1/scan#token=a.b-_.c")

    def test_has_the_scheme_only_in_the_fragment(self) -> None:
        url = checkout_url(
            checkout_base_url="https://checkout.example",
            return_scheme="partner.app+1",
            **self.given,
        )
        self.assertTrue(url.endswith("/scan#token=a.b-_.c&return_scheme=partner.app%2B1"), url)

    def test_rejects_what_is_not_the_scheme_of_an_app(self) -> None:
        never = ["http", "HTTPS", "javascript", "data", "file", "intent", "blob", "about"]
        malformed = ["1app", "a b", "app://", "a", "a" + "b" * 63, "", "PartnerApp", "app\n"]
        for scheme in [*never, "vbscript", *malformed]:
            with self.subTest(scheme=scheme), self.assertRaisesRegex(ValueError, "URL scheme"):
                checkout_url(
                    checkout_base_url="https://c.example", return_scheme=scheme, **self.given
                )

    def test_rejects_an_empty_part(self) -> None:
        for name in self.given:
            with self.subTest(name=name), self.assertRaisesRegex(ValueError, f"{name} is empty"):
                checkout_url(**{"checkout_base_url": "https://c.example", **self.given, name: ""})
