"""The client corrects a wrong clock once by the service's `Date` (protocol 3.4, step 3).

No `Date` makes it loop, and it keeps no correction that the service has not accepted.
"""

import unittest
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from typing import List

from payment_intents import ApiError, Client, HttpAnswer

from stub_service import (
    CANCELLED,
    CONFLICT,
    CREATED,
    FOUND,
    OWN_TIME,
    REJECTED,
    StubService,
    a_client,
    answer,
    cancel,
    create,
    get,
    network_failure,
)

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


def date_at(difference: timedelta) -> str:
    return format_datetime(OWN_TIME + difference, usegmt=True)


def rejected_at(date: str) -> HttpAnswer:
    return answer(401, {"error": "authentication_failed", "message": "No."}, date=date)


LATE = rejected_at(date_at(10 * MINUTE))


def timestamps(service: StubService) -> List[datetime]:
    texts = service.headers_sent("X-Service-Timestamp")
    return [datetime.fromisoformat(text.replace("Z", "+00:00")) for text in texts]


def status_of(client: Client) -> int:
    try:
        get(client)
    except ApiError as error:
        return error.status
    return 200


class A401OfAServiceWithAnotherClock(unittest.TestCase):
    def test_is_retried_once_with_the_time_of_its_date(self) -> None:
        second = timedelta(seconds=1)
        for difference in [10 * MINUTE, -10 * MINUTE, DAY, -DAY, MINUTE + second]:
            with self.subTest(difference=difference):
                service = StubService(rejected_at(date_at(difference)), FOUND)
                self.assertEqual(status_of(a_client(service)), 200)
                self.assertEqual(timestamps(service), [OWN_TIME, OWN_TIME + difference])
                self.assertEqual(len(set(service.headers_sent("X-Service-Nonce"))), 2)

    def test_keeps_the_idempotency_key_of_a_create(self) -> None:
        service = StubService(LATE, CREATED)
        create(a_client(service))
        keys = service.headers_sent("Idempotency-Key")
        self.assertEqual([len(keys), len(set(keys))], [2, 1])

    def test_is_retried_only_once_whatever_the_date_of_the_second(self) -> None:
        service = StubService(LATE, rejected_at(date_at(20 * MINUTE)), FOUND)
        self.assertEqual(status_of(a_client(service)), 401)
        self.assertEqual(len(service.sent), 2)

    def test_counts_as_one_of_the_attempts(self) -> None:
        service = StubService(LATE, FOUND)
        self.assertEqual(status_of(a_client(service, max_attempts=1)), 401)
        self.assertEqual(len(service.sent), 1)

    def test_leaves_the_remaining_attempts_for_failures_after_it(self) -> None:
        service = StubService(LATE, network_failure(), FOUND)
        self.assertEqual(status_of(a_client(service)), 200)
        self.assertEqual(timestamps(service)[1:], [OWN_TIME + 10 * MINUTE] * 2)

    def test_has_is_repeat_false_because_it_has_done_nothing(self) -> None:
        with self.assertRaises(ApiError) as raised:
            create(a_client(StubService(LATE, REJECTED)))
        self.assertFalse(raised.exception.is_repeat)


class NoRetryIsMade(unittest.TestCase):
    def test_for_a_date_that_is_absent_near_far_or_garbled(self) -> None:
        for date in [
            date_at(timedelta()),
            date_at(MINUTE),
            date_at(DAY + timedelta(seconds=1)),
            "Thu, 15 Jan 2026 10:30:00 GMT",
            "2025-01-15T10:40:00Z",
            "Wed, 99 Jan 2025 10:40:00 GMT",
            "Wed, 15 Foo 2025 10:40:00 GMT",
            "Wed, 15 Jan 2025 10:40:00 GMT\n",
            "soon",
            "",
        ]:
            with self.subTest(date=date):
                service = StubService(rejected_at(date), FOUND)
                self.assertEqual(status_of(a_client(service)), 401)
                self.assertEqual(len(service.sent), 1)
        service = StubService(REJECTED, FOUND)
        self.assertEqual([status_of(a_client(service)), len(service.sent)], [401, 1])


class ACorrection(unittest.TestCase):
    def test_is_used_by_later_calls_and_by_now_once_the_service_has_accepted_it(self) -> None:
        service = StubService(LATE, FOUND)
        client = a_client(service)
        self.assertEqual(client.now(), OWN_TIME)
        get(client)
        get(client)
        self.assertEqual(timestamps(service)[2], OWN_TIME + 10 * MINUTE)
        self.assertEqual(client.now(), OWN_TIME + 10 * MINUTE)

    def test_from_a_forged_date_is_discarded(self) -> None:
        rejected = rejected_at(date_at(timedelta()))
        for second in [rejected, *(answer(status, {}) for status in (503, 500, 302, 403, 404))]:
            with self.subTest(status=second.status):
                client = a_client(StubService(LATE, second))
                status_of(client)
                self.assertEqual(client.now(), OWN_TIME)

    def test_is_undone_in_the_same_way_when_the_own_clock_was_set_right(self) -> None:
        near = rejected_at(date_at(timedelta()))
        service = StubService(LATE, FOUND, near, FOUND)
        client = a_client(service)
        get(client)
        get(client)
        self.assertEqual(timestamps(service)[3], OWN_TIME)
        self.assertEqual(client.now(), OWN_TIME)

    def test_does_not_make_a_conflict_a_success(self) -> None:
        with self.assertRaises(ApiError) as raised:
            cancel(a_client(StubService(LATE, CONFLICT, CANCELLED)))
        self.assertEqual(raised.exception.status, 409)

    def test_keeps_a_conflict_a_success_if_an_attempt_before_got_no_answer(self) -> None:
        service = StubService(network_failure(), LATE, CONFLICT, CANCELLED)
        self.assertEqual(cancel(a_client(service, max_attempts=3)).status, "cancelled")


class AClock(unittest.TestCase):
    def test_without_a_time_zone_is_rejected(self) -> None:
        client = a_client(StubService(FOUND), now=lambda: datetime(2025, 1, 15))
        with self.assertRaisesRegex(ValueError, "`now` has no time zone.*timezone.utc"):
            get(client)

    def test_of_another_time_zone_is_converted(self) -> None:
        bangkok = timezone(timedelta(hours=7))
        service = StubService(FOUND)
        get(a_client(service, now=lambda: OWN_TIME.astimezone(bangkok)))
        self.assertEqual(timestamps(service), [OWN_TIME])
