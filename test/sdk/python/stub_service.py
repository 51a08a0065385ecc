"""A service without a network that gives the answers of a test and records its requests, and a
client of it.
"""

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, Dict, List, Union

from payment_intents import Client, HttpAnswer, HttpRequest, Intent

Answer = Union[HttpAnswer, Exception]

WIRE_INTENT = {
    "intent_id": "pi_00000000000000000000000000",
    "status": "created",
    "amount_usd_cents": 1250,
    "corridor": "th_qrpay",
    "created_at": "2025-01-15T10:30:00.000Z",
}
INTENT_ID = str(WIRE_INTENT["intent_id"])
OWN_TIME = datetime(2025, 1, 15, 10, 30, tzinfo=timezone.utc)
SECRET = "a signing secret"
VECTORS = Path(__file__).parents[2] / "vectors"


class StubService:
    """Gives the answers in order; the last one repeats. An exception is a network failure."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = answers
        self.sent: List[HttpRequest] = []

    def send(self, request: HttpRequest) -> HttpAnswer:
        self.sent.append(request)
        answer = self._answers[min(len(self.sent), len(self._answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def headers_sent(self, name: str) -> List[str]:
        return [request.headers[name] for request in self.sent]


def a_client(service: StubService, **options: Any) -> Client:
    given: Dict[str, Any] = {
        "base_url": "https://pay.example/",
        "key_id": "acme_sandbox_2025q1",
        "signing_secret": SECRET,
        "now": lambda: OWN_TIME,
        "send": service.send,
        "wait": lambda _seconds: None,
    }
    return Client(**{**given, **options})


def create(client: Client, **changes: Any) -> Intent:
    order: Dict[str, Any] = {
        "partner_user_id": "user-4711",
        "amount_usd_cents": 1250,
        "corridor": "th_qrpay",
    }
    return client.create_intent(**{**order, **changes})


def cancel(client: Client) -> Intent:
    return client.cancel_intent(INTENT_ID)


def get(client: Client) -> Intent:
    return client.get_intent(INTENT_ID)


Call = Callable[[Client], Intent]


def answer(status: int, body: object, **headers: str) -> HttpAnswer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpAnswer(status, named, json.dumps(body).encode())


def network_failure() -> Exception:
    return ConnectionResetError("reset by the test")


UNAVAILABLE = answer(503, {"error": "internal_error", "message": "Try again."})
CONFLICT = answer(409, {"error": "conflict", "message": "Too late."})
REJECTED = answer(401, {"error": "authentication_failed", "message": "No."})
CREATED = answer(201, WIRE_INTENT)
FOUND = answer(200, WIRE_INTENT)
CANCELLED = answer(200, {**WIRE_INTENT, "status": "cancelled"})


def vectors(name: str) -> Any:
    return json.loads((VECTORS / name).read_text("utf-8"))
