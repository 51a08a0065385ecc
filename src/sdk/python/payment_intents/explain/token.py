"""Says why the service rejects a session token: its 401 does not (protocol 8.3).

The checks are those of src/signing/token-checks.ts, in the same order (protocol 4.7).
"""

import re
from dataclasses import dataclass
from typing import Literal, Mapping, NamedTuple, Optional, Tuple, Union

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256

from ..clock import Now, system_now, whole_seconds
from ..intent import Intent
from ..published_keys import usable_keys
from .token_claims import MalformedToken, UnverifiedToken, decode_segment, read_token
from .token_findings import (
    AUDIENCE,
    LIFETIME_MAX_SECONDS,
    Finding,
    Findings,
    TokenReason,
    find_in_claims,
    shown,
)

_WELL_KNOWN = "/.well-known/jwks.json"

_Outcome = Literal["passed", "failed", "unknown", "not_reached"]


@dataclass(frozen=True)
class ExplainedTokenCheck:
    #: The step of the protocol, 1 to 11; None for attestations and path, which come after.
    step: Optional[int]
    reason: TokenReason
    #: `unknown`: what it needs is not known here. `not_reached`: an earlier check failed.
    outcome: _Outcome
    #: The claim, `header.kid` and the like, or `signature`.
    claim: str
    expected: str
    found: str


@dataclass(frozen=True)
class TokenExplanation:
    #: In the order of the service.
    checks: Tuple[ExplainedTokenCheck, ...]
    #: The check for which the service rejects the token; None if none is known to fail.
    failed: Optional[ExplainedTokenCheck]


class _Check(NamedTuple):
    step: Optional[int]
    reason: TokenReason
    claim: str
    expected: str


_CHECKS = (
    _Check(
        1, "bearer_missing_or_malformed", "Authorization", 'one text without spaces after "Bearer "'
    ),
    _Check(1, "token_malformed", "token", "all members of the right type"),
    _Check(
        2, "issuer_unknown", "iss", f"a registered key-set address, or it without {_WELL_KNOWN}"
    ),
    _Check(
        2, "key_set_not_fetched", "iss", "a key set with a usable key at the registered address"
    ),
    _Check(
        2,
        "kid_unknown",
        "header.kid",
        "the kid of one usable key of the key set (RSA, RS256, use sig)",
    ),
    _Check(
        3,
        "signature_wrong",
        "signature",
        "RS256 by the key that kid names, over header and claims as sent",
    ),
    _Check(4, "aud_wrong", "aud", f'"{AUDIENCE}"'),
    _Check(5, "issuer_of_another_partner", "iss", "the issuer of the partner whose intent it is"),
    _Check(6, "not_valid_now", "exp, nbf, iat", "times around now"),
    _Check(7, "exp_not_after_iat", "exp", "after iat"),
    _Check(7, "lifetime_over_600_s", "exp", f"at most iat + {LIFETIME_MAX_SECONDS}"),
    _Check(8, "jti_used", "jti", "a jti that has confirmed nothing"),
    _Check(9, "state_not_open", "service:intent_id", "an intent that is created or authorized"),
    _Check(10, "amount_differs", "service:amount_usd_cents", "the amount of the intent"),
    _Check(11, "corridor_differs", "service:corridor", "the corridor of the intent"),
    _Check(None, "attestation_not_accepted", "attestations", "verified, clean, in time"),
    _Check(None, "bound_to_another_intent", "service:intent_id", "the intent in the path"),
)


def explain_token(
    *,
    token: str,
    jwks_url: str,
    key_set: object,
    intent: Optional[Intent] = None,
    purpose: Literal["read", "confirm"] = "confirm",
    now: Now = system_now,
) -> TokenExplanation:
    """Runs the service's checks over a token, in its order, and names the first that fails.

    `token` is the text behind `Bearer `. `jwks_url` is your registered key-set URL, and `key_set`
    the parsed document at it. Without `intent`, as create or get returned it, steps 5 and 9 to 11
    are unknown. `purpose` is what the token is sent for: `read` is GET and opening the checkout.

    Only the service knows whether a `jti` was used and how old attestations may be, so these are
    not decided here. It sends nothing. The result contains no signature.

        failed = explain_token(token=token, jwks_url=url, key_set=published, intent=intent).failed
        if failed:
            print(failed.step, failed.claim, failed.expected, failed.found)
    """
    at = now()
    now_seconds = whole_seconds("The time of `now`", at) + at.microsecond / 1_000_000
    read = read_token(token)
    findings = _proof(token, read, jwks_url, usable_keys(key_set))
    if isinstance(read, UnverifiedToken):
        findings.update(find_in_claims(read.claims, intent, purpose == "read", now_seconds))
    holds = [findings.get(check.reason, _UNKNOWN).holds for check in _CHECKS]
    failed_at = holds.index(False) if False in holds else len(_CHECKS)
    checks = tuple(
        _explained(check, findings.get(check.reason, _UNKNOWN), index - failed_at)
        for index, check in enumerate(_CHECKS)
    )
    return TokenExplanation(checks, checks[failed_at] if failed_at < len(checks) else None)


_UNKNOWN = Finding(None, "not known here")


def _explained(check: _Check, finding: Finding, after_failed: int) -> ExplainedTokenCheck:
    claim, expected = finding.claim or check.claim, finding.expected or check.expected
    outcome: _Outcome = "unknown" if finding.holds is None else "passed"
    if after_failed >= 0:
        outcome = "failed" if after_failed == 0 else "not_reached"
    return ExplainedTokenCheck(check.step, check.reason, outcome, claim, expected, finding.found)


def _proof(
    token: str,
    read: Union[UnverifiedToken, MalformedToken],
    jwks_url: str,
    keys: Mapping[str, RSAPublicKey],
) -> Findings:
    """The first three of the eleven steps."""
    is_one_text = re.fullmatch(r"\S+", token) is not None
    size = f"{len(token)} characters" if is_one_text else "none"
    bearer = Finding(is_one_text, size)
    if isinstance(read, MalformedToken):
        malformed = Finding(False, shown(read.found), read.member, read.expected)
        return {"bearer_missing_or_malformed": bearer, "token_malformed": malformed}
    issuer, key = read.claims["iss"], keys.get(read.kid)
    is_verified = key is not None and _is_signed_by(token, key)
    return {
        "bearer_missing_or_malformed": bearer,
        "token_malformed": Finding(True, "all"),
        "issuer_unknown": Finding(issuer in _accepted_issuers(jwks_url), shown(issuer)),
        "key_set_not_fetched": Finding(len(keys) > 0, f"{len(keys)} usable keys"),
        "kid_unknown": Finding(key is not None, shown(read.kid)),
        "signature_wrong": Finding(
            is_verified, "it verifies" if is_verified else "it does not verify"
        ),
    }


def _accepted_issuers(jwks_url: str) -> Tuple[str, ...]:
    """Exact texts, compared without normalizing (decision 8)."""
    if not jwks_url.endswith(_WELL_KNOWN):
        return (jwks_url,)
    issuer = jwks_url[: -len(_WELL_KNOWN)]
    return (jwks_url, issuer, f"{issuer}/")


def _is_signed_by(token: str, key: RSAPublicKey) -> bool:
    signed, _, signature = token.rpartition(".")
    try:
        key.verify(decode_segment(signature), signed.encode(), PKCS1v15(), SHA256())
    except InvalidSignature:
        return False
    return True
