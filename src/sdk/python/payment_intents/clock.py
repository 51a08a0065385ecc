"""The only module that reads the clock and makes random ids; others take a `now`."""

import math
import secrets
import uuid
from datetime import datetime, timezone
from typing import Callable

#: Returns the current time, with a time zone.
Now = Callable[[], datetime]


def system_now() -> datetime:
    return datetime.now(timezone.utc)


def make_nonce() -> str:
    """32 random bytes as 64 lowercase hexadecimal characters (protocol 3.1)."""
    return secrets.token_hex(32)


def make_unique_text() -> str:
    """A random UUID, for idempotency keys and token ids."""
    return str(uuid.uuid4())


def rfc3339(name: str, instant: datetime) -> str:
    """`2025-01-15T10:30:00.000Z`. `name` says in the error which time is wrong."""
    in_utc = _aware(name, instant).astimezone(timezone.utc).replace(tzinfo=None)
    return f"{in_utc.isoformat(timespec='milliseconds')}Z"


def whole_seconds(name: str, instant: datetime) -> int:
    """Since 1970, rounded down."""
    return math.floor(_aware(name, instant).timestamp())


def _aware(name: str, instant: datetime) -> datetime:
    if not isinstance(instant, datetime):
        raise TypeError(f"{name} is {type(instant).__name__}, not a datetime.")
    if instant.utcoffset() is None:
        # Read as local time it would be wrong by hours wherever it was made with utcnow().
        raise ValueError(
            f"{name} has no time zone, so its instant is unknown: "
            "make it with datetime.now(timezone.utc)."
        )
    return instant
