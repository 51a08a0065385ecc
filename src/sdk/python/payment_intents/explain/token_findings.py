"""What the checks of a token's claims find (protocol 4.7, steps 4 to 11)."""

import json
import math
from datetime import datetime, timedelta, timezone
from typing import Dict, Literal, NamedTuple, Optional

from ..clock import rfc3339
from ..intent import Intent, as_instant
from .token_claims import MISSING, Claims

AUDIENCE = "service-checkout"
LIFETIME_MAX_SECONDS = 600
_AGE_MAX_SECONDS = 900
_ISSUED_AHEAD_MAX_SECONDS = 300
_NOT_BEFORE_AHEAD_MAX_SECONDS = 5
_ATTESTED_AHEAD_MAX_SECONDS = 60
_SHOWN_MAX_CHARACTERS = 200

#: The name of a failure in the operator's log.
TokenReason = Literal[
    "bearer_missing_or_malformed",
    "token_malformed",
    "issuer_unknown",
    "key_set_not_fetched",
    "kid_unknown",
    "signature_wrong",
    "aud_wrong",
    "issuer_of_another_partner",
    "not_valid_now",
    "exp_not_after_iat",
    "lifetime_over_600_s",
    "jti_used",
    "state_not_open",
    "amount_differs",
    "corridor_differs",
    "attestation_not_accepted",
    "bound_to_another_intent",
]


class Finding(NamedTuple):
    #: None if it is not known here.
    holds: Optional[bool]
    found: str
    #: None: as in the table.
    claim: Optional[str] = None
    expected: Optional[str] = None


Findings = Dict[TokenReason, Finding]


def find_in_claims(
    claims: Claims, intent: Optional[Intent], is_read: bool, now_seconds: float
) -> Findings:
    """The other eight steps, the attestations (protocol 4.3), and the path."""
    claimed, lifetime = claims["service:intent_id"], claims["exp"] - claims["iat"]
    lives = f"iat {'-' if lifetime < 0 else '+'} {abs(lifetime)}"
    findings: Findings = {
        "aud_wrong": Finding(claims["aud"] == AUDIENCE, shown(claims["aud"])),
        "not_valid_now": _validity(claims, now_seconds),
        "exp_not_after_iat": Finding(lifetime > 0, lives),
        "lifetime_over_600_s": Finding(lifetime <= LIFETIME_MAX_SECONDS, lives),
        "attestation_not_accepted": _attestations(claims, now_seconds),
        "bound_to_another_intent": Finding(
            intent is None or intent.intent_id == claimed,
            shown(claimed),
            expected=None if intent is None else f"the intent in the path, {intent.intent_id}",
        ),
    }
    # The service looks up the intent of the token, so facts of another intent prove nothing.
    if intent is not None and intent.intent_id == claimed:
        findings.update(_terms(claims, intent, is_read))
    return findings


def _terms(claims: Claims, intent: Intent, is_read: bool) -> Findings:
    amount, corridor = claims["service:amount_usd_cents"], claims["service:corridor"]
    # A confirm answers another status with 409 later (decisions 6 and 7).
    is_open = not is_read or intent.status in ("created", "authorized")
    is_amount, own = amount == intent.amount_usd_cents, shown(intent.amount_usd_cents)
    is_corridor = corridor == intent.corridor
    return {
        "issuer_of_another_partner": Finding(True, "your issuer"),
        "state_not_open": Finding(is_open, intent.status),
        "amount_differs": Finding(is_amount, shown(amount), expected=own),
        "corridor_differs": Finding(is_corridor, shown(corridor), expected=shown(intent.corridor)),
    }


def _validity(claims: Claims, now: float) -> Finding:
    """Names the first of the three times that is wrong."""
    exp, nbf, iat = claims["exp"], claims.get("nbf"), claims["iat"]
    if exp <= now:
        return Finding(False, _at(exp), "exp", f"after now, {_at(now)}")
    latest_nbf = now + _NOT_BEFORE_AHEAD_MAX_SECONDS
    if nbf is not None and nbf > latest_nbf:
        return Finding(False, _at(nbf), "nbf", f"at most {_at(latest_nbf)}")
    earliest, latest = now - _AGE_MAX_SECONDS, now + _ISSUED_AHEAD_MAX_SECONDS
    expected = f"iat from {_at(earliest)} to {_at(latest)}"
    if not earliest <= iat <= latest:
        return Finding(False, _at(iat), "iat", expected)
    return Finding(True, f"iat {_at(iat)}, exp {_at(exp)}", expected=expected)


def _attestations(claims: Claims, now: float) -> Finding:
    """Names the first member that is wrong."""
    latest = now + _ATTESTED_AHEAD_MAX_SECONDS
    for claim, flag, time in (
        ("service:kyc_attestation", "verified", "verified_at"),
        ("service:sanctions_attestation", "clean", "screened_at"),
    ):
        attested = claims[claim]
        if not attested[flag]:
            return Finding(False, "false", f"{claim}.{flag}", "true")
        seconds = _seconds_of(attested[time])
        if seconds is None or seconds > latest:
            expected = f"an RFC 3339 time of at most {_at(latest)}"
            return Finding(False, shown(attested[time]), f"{claim}.{time}", expected)
    return Finding(True, "all are")


def _seconds_of(text: str) -> Optional[float]:
    try:
        return as_instant({"time": text.upper()}, "time").timestamp()
    except ValueError:
        return None


def _at(seconds: float) -> str:
    """Both forms, because engineers compare either. A date has no text beyond the year 9999."""
    whole = math.floor(seconds)
    try:
        date = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=whole)
    except OverflowError:
        return str(whole)
    return f"{whole} ({rfc3339('time', date)})"


def shown(value: object) -> str:
    if value is MISSING:
        return "missing"
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # A lone surrogate cannot be printed.
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _SHOWN_MAX_CHARACTERS else f"{text[:_SHOWN_MAX_CHARACTERS]}…"
