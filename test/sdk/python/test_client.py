"""The client: signing, retries and errors (protocol 3 and 5)."""

import json
import unittest
from datetime import datetime, timezone
from typing import List, Tuple
from urllib.parse import urlsplit

from payment_intents import ApiConnectionError, ApiError, HttpAnswer, HttpRequest, Intent
from payment_intents.signing import canonical_request, sign_canonical_request

from stub_service import (
    CANCELLED,
    CONFLICT,
    CREATED,
    FOUND,
    INTENT_ID,
    OWN_TIME,
    REJECTED,
    SECRET,
    UNAVAILABLE,
    WIRE_INTENT,
    Answer,
    Call,
    StubService,
    a_client,
    answer,
    cancel,
    create,
    get,
    network_failure,
)


def expected_signature(request: HttpRequest) -> str:
    """The signature that the service would compute from what arrived."""
    path, headers = urlsplit(request.url).path, request.headers
    timestamp, nonce = headers["X-Service-Timestamp"], headers["X-Service-Nonce"]
    canonical = canonical_request(request.method, path, timestamp, nonce, request.body)
    return sign_canonical_request(canonical, SECRET)


class CreateIntent(unittest.TestCase):
    def test_posts_the_documented_members_and_reads_the_intent_back(self) -> None:
        service = StubService(CREATED)
        intent = create(a_client(service))
        expected = Intent(INTENT_ID, "created", 1250, "th_qrpay", OWN_TIME, None)
        self.assertEqual(intent, expected)
        [sent] = service.sent
        self.assertEqual(sent.method, "POST")
        self.assertEqual(sent.url, "https://pay.example/v1/payment_intents")
        self.assertEqual(sent.headers["Content-Type"], "application/json")
        members = {
            "partner_user_id": "user-4711",
            "amount_usd_cents": 1250,
            "corridor": "th_qrpay",
        }
        self.assertEqual(json.loads(sent.body), members)

    def test_signs_the_exact_bytes_that_it_sends(self) -> None:
        service = StubService(CREATED)
        create(a_client(service), partner_user_id='ผู้ใช้ "é" \ud800')
        [sent] = service.sent
        self.assertEqual(sent.headers["X-Service-Signature"], expected_signature(sent))
        self.assertEqual(sent.headers["X-Service-Key-Id"], "acme_sandbox_2025q1")
        self.assertEqual(sent.headers["X-Service-Timestamp"], "2025-01-15T10:30:00.000Z")
        self.assertRegex(sent.headers["X-Service-Nonce"], r"\A[0-9a-f]{64}\Z")

    def test_signs_the_path_of_a_base_url_too(self) -> None:
        service = StubService(CREATED)
        create(a_client(service, base_url="https://pay.example/partners/"))
        [sent] = service.sent
        self.assertEqual(sent.url, "https://pay.example/partners/v1/payment_intents")
        self.assertEqual(sent.headers["X-Service-Signature"], expected_signature(sent))

    def test_repeats_with_the_same_idempotency_key_and_a_fresh_nonce(self) -> None:
        failures: List[Answer] = [UNAVAILABLE, answer(502, {}), answer(504, {}), network_failure()]
        for failure in failures:
            with self.subTest(failure=failure):
                service = StubService(failure, failure, CREATED)
                pauses: List[float] = []
                create(a_client(service, wait=pauses.append))
                keys = service.headers_sent("Idempotency-Key")
                self.assertEqual([len(keys), len(set(keys))], [3, 1])
                self.assertRegex(keys[0], r"\A[!-~]{1,256}\Z")
                self.assertEqual(len(set(service.headers_sent("X-Service-Nonce"))), 3)
                signatures = [expected_signature(sent) for sent in service.sent]
                self.assertEqual(service.headers_sent("X-Service-Signature"), signatures)
                self.assertEqual(len(pauses), 2)

    def test_repeats_after_no_other_status(self) -> None:
        for status in [400, 401, 403, 404, 409, 422, 429, 500, 501, 302]:
            service = StubService(answer(status, {}))
            with self.subTest(status=status), self.assertRaises(ApiError):
                create(a_client(service))
            self.assertEqual(len(service.sent), 1)

    def test_sends_the_given_key_and_otherwise_makes_a_new_one_for_each_call(self) -> None:
        service = StubService(CREATED)
        client = a_client(service)
        create(client, idempotency_key="order-815")
        create(client)
        create(client)
        keys = service.headers_sent("Idempotency-Key")
        self.assertEqual(keys[0], "order-815")
        self.assertEqual(len(set(keys)), 3)

    def test_pauses_as_long_as_retry_after_says_at_most_5_s(self) -> None:
        pauses: List[float] = []
        busy = [answer(503, {}, retry_after=seconds) for seconds in ["2", "3600", "soon"]]
        create(a_client(StubService(*busy, CREATED), max_attempts=4, wait=pauses.append))
        self.assertTrue(2 <= pauses[0] <= 3, pauses)
        self.assertEqual(pauses[1], 5)
        self.assertTrue(0.8 <= pauses[2] <= 1.2, pauses)

    def test_raises_the_last_answer_after_three_attempts(self) -> None:
        service = StubService(UNAVAILABLE)
        with self.assertRaises(ApiError) as raised:
            create(a_client(service))
        self.assertEqual(raised.exception.code, "internal_error")
        self.assertEqual([raised.exception.status, len(service.sent)], [503, 3])

    def test_raises_the_cause_after_three_attempts_without_an_answer(self) -> None:
        with self.assertRaises(ApiConnectionError) as raised:
            create(a_client(StubService(network_failure())))
        self.assertEqual(raised.exception.attempts, 3)
        self.assertIsInstance(raised.exception.__cause__, ConnectionResetError)
        self.assertEqual(raised.exception.reason, "no_answer")
        self.assertIn("ConnectionResetError: reset by the test", str(raised.exception))

    def test_without_an_answer_names_the_key_to_repeat_the_create_with(self) -> None:
        with self.assertRaises(ApiConnectionError) as raised:
            create(a_client(StubService(network_failure())), idempotency_key="order-815")
        self.assertEqual(raised.exception.idempotency_key, "order-815")
        advice = "The outcome is unknown: create again with the same Idempotency-Key, order-815."
        self.assertIn(advice, str(raised.exception))

    def test_without_an_answer_tells_the_key_that_it_made(self) -> None:
        service = StubService(network_failure())
        with self.assertRaises(ApiConnectionError) as raised:
            create(a_client(service))
        keys = service.headers_sent("Idempotency-Key")
        self.assertEqual(set(keys), {raised.exception.idempotency_key})

    def test_after_a_503_or_a_201_without_an_intent_tells_that_key_too(self) -> None:
        for last in [UNAVAILABLE, answer(201, {})]:
            with self.subTest(status=last.status):
                service = StubService(last)
                with self.assertRaises(ApiError) as raised:
                    create(a_client(service))
                keys = service.headers_sent("Idempotency-Key")
                self.assertEqual(set(keys), {raised.exception.idempotency_key})

    def test_after_a_read_without_an_answer_says_to_get_the_intent(self) -> None:
        with self.assertRaises(ApiConnectionError) as raised:
            a_client(StubService(TimeoutError("late"))).get_intent(INTENT_ID)
        self.assertEqual((raised.exception.reason, raised.exception.attempts), ("timed_out", 3))
        self.assertIsNone(raised.exception.idempotency_key)
        self.assertIn("The outcome is unknown: get the intent", str(raised.exception))

    def test_gives_each_attempt_the_timeout_of_the_client_or_of_the_call(self) -> None:
        service = StubService(CREATED)
        client = a_client(service, timeout_seconds=7)
        create(client)
        create(client, timeout_seconds=0.5)
        create(client)
        self.assertEqual([sent.timeout_seconds for sent in service.sent], [7, 0.5, 7])


class ARejection(unittest.TestCase):
    def test_is_an_api_error_with_status_code_message_and_request_id(self) -> None:
        nested = {"code": "authorization_failed", "message": "No.", "request_id": "r-2"}
        for body in [
            {"error": "authorization_failed", "message": "No."},
            {"error": nested},
        ]:
            service = StubService(answer(403, body, x_request_id="r-1"))
            with self.subTest(body=body), self.assertRaises(ApiError) as raised:
                get(a_client(service))
            error = raised.exception
            facts = (error.status, error.code, error.message, error.request_id)
            self.assertEqual(facts, (403, "authorization_failed", "No.", "r-1"))
            self.assertEqual(
                str(error),
                "The service answered 403 authorization_failed (request id r-1): No.",
            )

    def test_has_the_code_unexpected_answer_when_it_is_not_of_the_service(self) -> None:
        for given in [
            HttpAnswer(400, {}, b"<html>"),
            HttpAnswer(302, {"location": "/x"}, b""),
            HttpAnswer(200, {}, b""),
            HttpAnswer(200, {}, b"[" * 60_000),
            HttpAnswer(200, {}, b" " * 70_000 + json.dumps(WIRE_INTENT).encode()),
            answer(200, {"intent_id": INTENT_ID}),
            answer(200, {**WIRE_INTENT, "status": "paid"}),
            answer(200, {**WIRE_INTENT, "amount_usd_cents": True}),
            answer(200, [WIRE_INTENT]),
            answer(202, WIRE_INTENT),
            answer(400, {"error": "unavailable", "message": 1}),
        ]:
            with self.subTest(given=given.body[:60]), self.assertRaises(ApiError) as raised:
                get(a_client(StubService(given)))
            self.assertEqual(raised.exception.code, "unexpected_answer")

    def test_has_is_repeat_when_an_earlier_attempt_may_have_succeeded(self) -> None:
        cases: List[Tuple[Call, List[Answer], int, bool]] = [
            (create, [REJECTED], 401, False),
            (create, [network_failure(), REJECTED], 401, True),
            (create, [UNAVAILABLE, REJECTED], 401, True),
            (create, [UNAVAILABLE], 503, True),
            (cancel, [CONFLICT], 409, False),
            (cancel, [network_failure(), CONFLICT, REJECTED], 401, True),
            (create, [network_failure(), answer(201, {})], 201, True),
        ]
        for call, answers, status, is_repeat in cases:
            with self.subTest(answers=answers), self.assertRaises(ApiError) as raised:
                call(a_client(StubService(*answers)))
            error = raised.exception
            self.assertEqual((error.status, error.is_repeat), (status, is_repeat))
            self.assertEqual("may have succeeded" in str(error), is_repeat)


class GetIntent(unittest.TestCase):
    def test_signs_a_request_without_a_body_and_reads_captured_at(self) -> None:
        captured = {**WIRE_INTENT, "status": "captured", "captured_at": "2025-01-15T17:30:02+07:00"}
        service = StubService(answer(200, captured))
        intent = get(a_client(service))
        at = datetime(2025, 1, 15, 10, 30, 2, tzinfo=timezone.utc)
        self.assertEqual(intent.captured_at, at)
        [sent] = service.sent
        self.assertEqual((sent.method, sent.body), ("GET", b""))
        self.assertTrue(sent.url.endswith(f"/v1/payment_intents/{INTENT_ID}"))
        self.assertEqual(sent.headers["X-Service-Signature"], expected_signature(sent))
        self.assertNotIn("Idempotency-Key", sent.headers)

    def test_encodes_an_id_so_that_it_stays_one_part_of_the_path(self) -> None:
        service = StubService(FOUND)
        a_client(service).get_intent("a/../b?c#d é")
        url = "https://pay.example/v1/payment_intents/a%2F..%2Fb%3Fc%23d%20%C3%A9"
        self.assertEqual(service.sent[0].url, url)


class CancelIntent(unittest.TestCase):
    def test_returns_the_cancelled_intent(self) -> None:
        service = StubService(CANCELLED)
        self.assertEqual(cancel(a_client(service)).status, "cancelled")
        self.assertTrue(service.sent[0].url.endswith(f"/{INTENT_ID}/cancel"))

    def test_raises_conflict_when_it_is_too_late(self) -> None:
        with self.assertRaises(ApiError) as raised:
            cancel(a_client(StubService(CONFLICT)))
        self.assertEqual(raised.exception.code, "conflict")

    def test_treats_a_conflict_as_success_when_its_own_earlier_attempt_cancelled(self) -> None:
        service = StubService(network_failure(), CONFLICT, CANCELLED)
        self.assertEqual(cancel(a_client(service)).status, "cancelled")
        self.assertEqual([sent.method for sent in service.sent], ["POST", "POST", "GET"])

    def test_raises_conflict_after_a_retry_when_the_intent_is_not_cancelled(self) -> None:
        captured = answer(200, {**WIRE_INTENT, "status": "captured"})
        with self.assertRaises(ApiError) as raised:
            cancel(a_client(StubService(network_failure(), CONFLICT, captured)))
        self.assertEqual(raised.exception.code, "conflict")
