"""Corrects the caller's clock by the service's (protocol 3.4, step 3).

A 401 does not say why, but every response has a `Date`, and a wrong clock is the only cause that a
client can fix itself.
"""

import re
from datetime import datetime, timedelta, timezone
from email.utils import parsedate
from typing import NamedTuple, Optional

from .clock import Now

# A smaller difference is not the cause: 5 minutes are allowed, and no request travels for 4.
_DIFFERENCE_MIN = timedelta(minutes=1)

# A forged `Date` must not make the client sign requests for the far future, which an attacker
# could keep. A wrong time zone differs by at most 14 hours; a larger error must be fixed by hand.
_CORRECTION_MAX = timedelta(days=1)

# The only format that servers send; `parsedate` alone would accept many others.
_HTTP_DATE = re.compile(
    r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT"
)


class Correction(NamedTuple):
    """The correction to try. Apply it only after the service has accepted such a request."""

    now: Now
    shift: timedelta


class ServiceClock:
    """The caller's clock with the last applied correction; at first uncorrected."""

    def __init__(self, own: Now) -> None:
        self._own = own
        self._applied = timedelta()

    def now(self) -> datetime:
        return self._own() + self._applied

    def corrected_by(self, date: str) -> Optional[Correction]:
        """None when `Date` is near, absent, invalid or over a day away."""
        service = _parse_http_date(date)
        if service is None:
            return None
        shift = service - self._own()
        is_far = abs(service - self.now()) > _DIFFERENCE_MIN
        if not is_far or abs(shift) > _CORRECTION_MAX:
            return None
        return Correction(lambda: self._own() + shift, shift)

    def apply(self, correction: Correction) -> None:
        """Lets all calls use this time."""
        self._applied = correction.shift


def _parse_http_date(date: str) -> Optional[datetime]:
    parts = parsedate(date) if _HTTP_DATE.fullmatch(date) else None
    try:
        return None if parts is None else datetime(*parts[:6], tzinfo=timezone.utc)
    except ValueError:
        # A day or an hour that does not exist.
        return None
