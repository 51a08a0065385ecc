"""Reads a payment intent from JSON (protocol 2.1)."""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta, timezone
from typing import Literal, Mapping, Optional, Tuple, TypeVar, get_args

IntentStatus = Literal[
    "created", "authorized", "captured", "failed", "expired", "refunded", "cancelled"
]
Corridor = Literal["th_qrpay", "vn_qrpay"]

_STATUSES: Tuple[IntentStatus, ...] = get_args(IntentStatus)
_CORRIDORS: Tuple[Corridor, ...] = get_args(Corridor)
_INSTANT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T(?!24)[0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]+)?"
    r"(Z|(?!-00:00)[+-][0-9]{2}:[0-5][0-9])"
)


@dataclass(frozen=True)
class Intent:
    """One payment of one user."""

    #: `pi_` followed by an opaque text.
    intent_id: str
    status: IntentStatus
    #: Whole US cents, never dollars.
    amount_usd_cents: int
    corridor: Corridor
    created_at: datetime
    #: None unless `status` is `captured`.
    captured_at: Optional[datetime]


def parse_intent(value: object) -> Intent:
    """Ignores members that a later revision adds (protocol 1.1).

    Raises ValueError that names the missing or invalid member.
    """
    members = as_object(value)
    return Intent(
        intent_id=as_text(members, "intent_id"),
        status=_one_of(_STATUSES, members, "status"),
        amount_usd_cents=as_whole_number(members, "amount_usd_cents"),
        corridor=_one_of(_CORRIDORS, members, "corridor"),
        created_at=as_instant(members, "created_at"),
        captured_at=as_instant(members, "captured_at") if "captured_at" in members else None,
    )


def as_object(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def as_text(members: Mapping[str, object], name: str) -> str:
    value = members.get(name)
    if not isinstance(value, str):
        raise ValueError(f"{name} is not a string")
    return value


def as_instant(members: Mapping[str, object], name: str) -> datetime:
    matched = _INSTANT.fullmatch(as_text(members, name))
    if matched is None:
        raise ValueError(f"{name} is not a date-time")
    seconds, fraction, zone = matched.groups()
    # Python 3.9 reads no `Z`, and only fractions of three or six digits.
    micros = (fraction or ".")[1:7].ljust(6, "0")
    # It reads no leap second either: that is the last of a day in UTC, and counts as the next one.
    leap = timedelta(seconds=1 if seconds.endswith(":60") else 0)
    whole = f"{seconds[:-2]}59" if leap else seconds
    at = datetime.fromisoformat(f"{whole}.{micros}{'+00:00' if zone == 'Z' else zone}") + leap
    if leap and at.astimezone(timezone.utc).time().replace(microsecond=0) != time(0):
        raise ValueError(f"{name} is not a date-time")
    return at


def as_whole_number(members: Mapping[str, object], name: str) -> int:
    value = members.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{name} is not a whole number")
    return value


_Known = TypeVar("_Known", bound=str)


def _one_of(known: Tuple[_Known, ...], members: Mapping[str, object], name: str) -> _Known:
    value = as_text(members, name)
    for one in known:
        if one == value:
            return one
    raise ValueError(f"{name} is not one of {', '.join(known)}")
