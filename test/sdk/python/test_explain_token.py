"""Every 401 is the same, so the explanation must name the check that rejects a session token."""

import base64
import json
import unittest
from datetime import datetime, timedelta
from typing import Any, Callable, Dict, List, Optional, Tuple

from payment_intents import Intent, TokenExplanation, explain_token
from payment_intents.session_token import _private_key, sign_token

from stub_service import OWN_TIME, vectors

VECTORS = vectors("session-token.json")
TOKENS: Dict[str, Any] = {vector["name"]: vector for vector in VECTORS["tokens"]}
KEY_SETS: Dict[str, Any] = {each["name"]: each["document"] for each in VECTORS["key_sets"]}
GOOD = TOKENS["good"]
HEADER: Dict[str, Any] = json.loads(GOOD["header"])
CLAIMS: Dict[str, Any] = json.loads(GOOD["payload"])
KYC = CLAIMS["service:kyc_attestation"]
SANCTIONS = CLAIMS["service:sanctions_attestation"]
NOW = int(OWN_TIME.timestamp())
KEY = _private_key(VECTORS["keys"][0]["private_key_pem"])


def intent_of(vector: Any, **changes: Any) -> Intent:
    given = {**vector["intent"], "created_at": OWN_TIME, "captured_at": None}
    return Intent(**{**given, **changes})


def explained(vector: Any = GOOD, **changes: Any) -> TokenExplanation:
    now = datetime.fromisoformat(vector["now"].replace("Z", "+00:00"))
    given: Dict[str, Any] = {
        "token": vector["token"],
        "jwks_url": VECTORS["partners"][0]["jwks_url"],
        "key_set": KEY_SETS[vector["key_set"]],
        "intent": intent_of(vector),
        "purpose": "read",
        "now": lambda: now,
    }
    return explain_token(**{**given, **changes})


def base64url(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def signed(payload: str, header: Optional[str] = None) -> str:
    return sign_token(f"{base64url(header or GOOD['header'])}.{base64url(payload)}", KEY)


def failure(token: str, **changes: Any) -> Tuple[Any, ...]:
    failed = explained(token=token, **changes).failed
    return () if failed is None else (failed.reason, failed.claim, failed.found)


def with_claims(**changes: Any) -> Tuple[Any, ...]:
    claims = {**CLAIMS, **{name.replace("__", ":"): value for name, value in changes.items()}}
    return failure(signed(json.dumps(claims)))


def step_of(vector: Any) -> Optional[str]:
    """The step that explain_token can know."""
    # Only the service knows which `jti` was used, and whose the other issuers are.
    return {"8": None, "5": "2"}.get(vector["step"], vector["step"])


class ATokenOfTheVectors(unittest.TestCase):
    def test_fails_at_its_step(self) -> None:
        for vector in VECTORS["tokens"]:
            with self.subTest(name=vector["name"]):
                failed = explained(vector).failed
                step = failed and ("attestations" if failed.step is None else str(failed.step))
                self.assertEqual(step, step_of(vector))

    def test_has_every_step_in_order_and_none_is_reached_after_the_failure(self) -> None:
        for vector in VECTORS["tokens"]:
            with self.subTest(name=vector["name"]):
                explanation = explained(vector)
                steps = [check.step or 12 for check in explanation.checks]
                self.assertEqual(steps, sorted(steps))
                self.assertEqual(set(steps), set(range(1, 13)))
                outcomes = [check.outcome for check in explanation.checks]
                if explanation.failed is not None:
                    at = explanation.checks.index(explanation.failed)
                    self.assertEqual(set(outcomes[at + 1 :]), {"not_reached"})
                    outcomes = outcomes[:at]
                self.assertLessEqual(set(outcomes), {"passed", "unknown"})

    def test_is_explained_without_its_signature(self) -> None:
        for vector in VECTORS["tokens"]:
            with self.subTest(name=vector["name"]):
                shown = repr(explained(vector))
                segments = vector["token"].split(".")
                found = [one for one in segments if one != "" and one in shown]
                self.assertEqual(found, [])

    def test_may_confirm_an_intent_of_any_status(self) -> None:
        self.assertIsNone(explained(TOKENS["intent-captured"], purpose="confirm").failed)


class AnExplanation(unittest.TestCase):
    def unknown(self, **changes: Any) -> List[Optional[int]]:
        checks = explained(**changes).checks
        return [check.step for check in checks if check.outcome == "unknown"]

    def test_names_claim_expected_and_found(self) -> None:
        failed = explained(TOKENS["amount-lower"]).failed
        assert failed is not None
        found = (failed.step, failed.reason, failed.outcome, failed.claim)
        self.assertEqual(found, (10, "amount_differs", "failed", "service:amount_usd_cents"))
        self.assertEqual((failed.expected, failed.found), ("1250", "1249"))

    def test_says_what_it_cannot_know(self) -> None:
        self.assertEqual(self.unknown(), [8])
        self.assertEqual(self.unknown(intent=None), [5, 8, 9, 10, 11])

    def test_of_a_token_for_another_intent_does_not_compare_them(self) -> None:
        other = intent_of(GOOD, intent_id="pi_other", amount_usd_cents=1)
        self.assertEqual(self.unknown(intent=other), [5, 8, 9, 10, 11])
        self.assertEqual(failure(GOOD["token"], intent=other)[0], "bound_to_another_intent")

    def test_of_a_key_set_without_a_usable_key_says_so(self) -> None:
        (key,) = KEY_SETS["acme"]["keys"]
        unusable: List[Any] = [
            *("<html>", None, {}, {"keys": {}}, {"keys": []}),
            {"keys": [None, key, {**self.another_key(), "kid": key["kid"]}]},
            *({"keys": [{**key, "use": "enc"}]}, {"keys": [{**key, "alg": "RS512"}]}),
            *(
                {"keys": [{**key, "n": "AQAB"}]},
                {"keys": [{**key, "n": "+" + key["n"]}]},
                {"keys": [{**key, "n": key["n"] + "AAA"}]},
            ),
            *({"keys": [{**key, "e": "Aw"}]}, {"keys": [{**key, "e": 65_537}]}),
            *({"keys": [{**key, "d": "AQAB"}]}, {"keys": [key, {**key, "kid": "x", "d": ""}]}),
            *({"keys": [{**key, "kid": ""}]}, {"keys": [{}] * 100 + [key]}),
        ]
        for key_set in unusable:
            with self.subTest(key_set=key_set):
                found = failure(GOOD["token"], key_set=key_set)[0]
                self.assertEqual(found, "key_set_not_fetched")

    def test_counts_a_key_that_is_listed_twice_once(self) -> None:
        (key,) = KEY_SETS["acme"]["keys"]
        same = {**key, "n": "AAAA" + key["n"]}
        self.assertEqual(failure(GOOD["token"], key_set={"keys": [None, key, same]}), ())

    @staticmethod
    def another_key() -> Dict[str, str]:
        kid = KEY_SETS["acme"]["keys"][0]["kid"]
        return next(key for key in KEY_SETS["acme-rotated"]["keys"] if key["kid"] != kid)

    def test_needs_a_clock_with_a_time_zone(self) -> None:
        with self.assertRaisesRegex(ValueError, "`now` has no time zone"):
            explained(now=lambda: datetime(2025, 1, 15))


class AMalformedToken(unittest.TestCase):
    def test_names_the_member_and_what_was_found(self) -> None:
        malformed: List[Tuple[Tuple[Any, ...], str, str]] = [
            (with_claims(exp="soon"), "exp", '"soon"'),
            (with_claims(exp=True), "exp", "true"),
            (with_claims(exp=2**53), "exp", "9007199254740992"),
            (with_claims(nbf=None), "nbf", "null"),
            (with_claims(sub=""), "sub", '""'),
            (with_claims(iss="a\0b"), "iss", '"a\\u0000b"'),
            (with_claims(iss="\ud800"), "iss", '"\\ud800"'),
            (with_claims(jti="x" * 1_025), "jti", f'"{"x" * 199}…'),
            (with_claims(service__kyc_attestation=True), "service:kyc_attestation", "true"),
            (
                with_claims(service__kyc_attestation={**KYC, "method": ""}),
                "service:kyc_attestation.method",
                '""',
            ),
            (failure("a.b"), "token", '"2 segments"'),
            (failure("a=.b.c"), "header", '"2 characters"'),
            (failure("x" * 8_193), "token", "8193"),
        ]
        for found, claim, value in malformed:
            with self.subTest(claim=claim, value=value):
                self.assertEqual(found, ("token_malformed", claim, value))
        headers: List[Dict[str, Any]] = [
            {"alg": "HS256"},
            {"kid": 1},
            {"kid": "k" * 257},
            {"crit": []},
            {"b64": False},
        ]
        for change in headers:
            with self.subTest(change=change):
                token = signed(GOOD["payload"], json.dumps({**HEADER, **change}))
                self.assertEqual(failure(token)[:2], ("token_malformed", f"header.{[*change][0]}"))

    def test_of_json_that_two_parsers_could_read_differently_is_rejected(self) -> None:
        text: str = GOOD["payload"]
        twice = '"The token has the member aud twice."'
        not_json = '"The token is not JSON in UTF-8."'
        rounded = '"The token has a number whose fraction would be rounded away."'
        for payload, found in [
            (text.replace("{", '{"\\u0061ud":"x",', 1), twice),
            (text.replace("{", '{"\\u00e9":1,"é":1,', 1), '"The token has a member twice."'),
            (text.replace("{", '{"__proto__":1,', 1), '"The token has the member __proto__, whic'),
            (text.replace(str(NOW), f"{NOW}.00000000001"), rounded),
            (text.replace("{", '{"more":' + "[" * 32 + "]" * 32 + ",", 1), '"The token has more'),
            (text.replace("{", '{"more":' + "[" * 2_000 + ",", 1), not_json),
            (text.replace("1250", "NaN"), not_json),
            ("\ufeff" + text, not_json),
            ("[]", "[]"),
        ]:
            with self.subTest(found=found):
                reason, claim, shown = failure(signed(payload))
                self.assertEqual((reason, claim), ("token_malformed", "claims"))
                self.assertTrue(shown.startswith(found), shown)

    def test_is_none_where_an_integer_is_written_otherwise(self) -> None:
        for spelled in ("1250.0", "1.25e3", "12500E-1"):
            self.assertEqual(failure(signed(GOOD["payload"].replace("1250", spelled))), ())


class ATimeOrAttestation(unittest.TestCase):
    def test_that_is_wrong_is_named(self) -> None:
        kyc: Callable[..., Any] = lambda **change: with_claims(
            service__kyc_attestation={**KYC, **change}
        )
        sanctions: Callable[..., Any] = lambda **change: with_claims(
            service__sanctions_attestation={**SANCTIONS, **change}
        )
        reason, of_kyc = "attestation_not_accepted", "service:kyc_attestation"
        at = "2025-01-15T10:30:00.000Z"
        for found, expected in [
            (with_claims(iat=NOW - 600, exp=NOW), ("not_valid_now", "exp", f"{NOW} ({at})")),
            (with_claims(nbf=NOW + 5), ()),
            (with_claims(nbf=NOW + 6)[:2], ("not_valid_now", "nbf")),
            (with_claims(nbf=2**53 - 1)[2:], (str(2**53 - 1),)),
            (with_claims(iat=NOW - 901)[:2], ("not_valid_now", "iat")),
            (with_claims(iat=NOW + 9, exp=NOW + 3), ("exp_not_after_iat", "exp", "iat - 6")),
            (with_claims(exp=NOW + 601), ("lifetime_over_600_s", "exp", "iat + 601")),
            (kyc(verified=False), (reason, f"{of_kyc}.verified", "false")),
            (kyc(verified_at="2025-01-10t08:00:00.5z"), ()),
            *(
                (kyc(verified_at=text), (reason, f"{of_kyc}.verified_at", json.dumps(text)))
                for text in (
                    "yesterday",
                    "2025-01-10T08:00:00+01:60",
                    "2025-01-10T24:00:00Z",
                    "2025-01-10T08:00:00-00:00",
                    "2025-01-10T08:00:60Z",
                    "2025-01-10T23:59:60+01:00",
                )
            ),
            *(
                (kyc(verified_at=text), ())
                for text in ("2025-01-10T23:59:60Z", "2025-01-11T06:59:60.5+07:00")
            ),
            (sanctions(clean=False)[1:], ("service:sanctions_attestation.clean", "false")),
        ]:
            with self.subTest(expected=expected):
                self.assertEqual(found, expected)

    def test_is_compared_with_the_clock_more_finely_than_seconds(self) -> None:
        token = signed(json.dumps({**CLAIMS, "exp": NOW + 1}))
        late = OWN_TIME + timedelta(milliseconds=999)
        self.assertEqual(failure(token, now=lambda: late), ())
        self.assertEqual(
            failure(token, now=lambda: OWN_TIME + timedelta(seconds=1))[0], "not_valid_now"
        )
