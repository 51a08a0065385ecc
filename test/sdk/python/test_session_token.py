"""Minting session tokens and publishing keys (protocol 4), compared with the published vectors."""

import base64
import json
import unittest
from datetime import datetime, timedelta, timezone
from typing import Any, Dict, List, Tuple

from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_public_key,
)
from payment_intents import (
    Intent,
    KycAttestation,
    PublicKey,
    SanctionsAttestation,
    key_set,
    mint_session_token,
)
from payment_intents.session_token import _private_key, sign_token

from stub_service import OWN_TIME, vectors

VECTORS = vectors("session-token.json")
KEYS: Dict[str, Dict[str, str]] = {key["kid"]: key for key in VECTORS["keys"]}
KEY = VECTORS["keys"][0]
AT = OWN_TIME + timedelta(milliseconds=900)


def minted(**changes: Any) -> str:
    given: Dict[str, Any] = {
        "issuer": "https://acme.example/.well-known/jwks.json",
        "kid": KEY["kid"],
        "private_key_pem": KEY["private_key_pem"],
        "subject": "user-4711",
        "intent": Intent("pi_1", "created", 1250, "vn_qrpay", OWN_TIME, None),
        "kyc_attestation": KycAttestation(True, "document", AT),
        "sanctions_attestation": SanctionsAttestation(True, AT),
        "now": lambda: AT,
    }
    return mint_session_token(**{**given, **changes})


def decoded(segment: str) -> bytes:
    return base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4))


def verified(token: str) -> Dict[str, Any]:
    signing_input, signature = token.rsplit(".", 1)
    key = load_pem_public_key(KEY["public_key_pem"].encode())
    assert isinstance(key, rsa.RSAPublicKey)
    key.verify(decoded(signature), signing_input.encode(), padding.PKCS1v15(), SHA256())
    claims: Dict[str, Any] = json.loads(decoded(signing_input.split(".")[1]))
    return claims


class MintSessionToken(unittest.TestCase):
    def test_makes_the_signature_of_every_vector_byte_for_byte(self) -> None:
        signed = [token for token in VECTORS["tokens"] if token["signed_with"] is not None]
        self.assertGreater(len(signed), 20)
        for vector in signed:
            with self.subTest(name=vector["name"]):
                key = _private_key(KEYS[vector["signed_with"]]["private_key_pem"])
                made = sign_token(vector["signing_input"], key).split(".")[2]
                self.assertEqual(decoded(made), decoded(vector["token"].split(".")[2]))

    def test_has_the_header_and_exactly_the_claims_of_the_accepted_vector(self) -> None:
        good = next(one for one in VECTORS["tokens"] if one["name"] == "good")
        expected = json.loads(good["payload"])
        kyc = expected["service:kyc_attestation"]
        sanctions = expected["service:sanctions_attestation"]
        made = verified(
            minted(
                issuer=expected["iss"],
                intent=Intent(
                    expected["service:intent_id"], "created", 1250, "th_qrpay", OWN_TIME, None
                ),
                kyc_attestation=KycAttestation(True, kyc["method"], instant(kyc["verified_at"])),
                sanctions_attestation=SanctionsAttestation(True, instant(sanctions["screened_at"])),
            )
        )
        self.assertNotEqual(made.pop("jti"), expected.pop("jti"))
        self.assertEqual(in_seconds(made), expected)
        header = json.loads(decoded(minted().split(".")[0]))
        self.assertEqual(header, json.loads(good["header"]))

    def test_makes_a_new_jti_each_time(self) -> None:
        self.assertEqual(len({verified(minted())["jti"] for _ in range(3)}), 3)

    def test_has_the_requested_lifetime(self) -> None:
        claims = verified(minted(lifetime_seconds=60))
        self.assertEqual(claims["exp"] - claims["iat"], 60)

    def test_rejects_a_mistake_and_says_what_to_do(self) -> None:
        naive = datetime(2025, 1, 15)
        mistakes: List[Tuple[Dict[str, Any], str]] = [
            ({"kyc_attestation": KycAttestation(False, "x", AT)}, "verified is not True"),
            ({"sanctions_attestation": SanctionsAttestation(False, AT)}, "clean is not True"),
            ({"lifetime_seconds": 0}, "lifetime_seconds is 0: give 1 to 600 whole seconds"),
            ({"lifetime_seconds": 601}, "give 1 to 600"),
            ({"lifetime_seconds": 1.5}, "give 1 to 600"),
            ({"lifetime_seconds": True}, "give 1 to 600"),
            ({"private_key_pem": KEY["public_key_pem"]}, "begins with -----BEGIN PRIVATE KEY"),
            ({"private_key_pem": "session-private.pem"}, "begins with -----BEGIN PRIVATE KEY"),
            ({"private_key_pem": ""}, "private_key_pem is empty"),
            ({"issuer": ""}, "issuer is empty"),
            ({"kid": ""}, "kid is empty"),
            ({"now": lambda: naive}, "`now` has no time zone"),
            ({"kyc_attestation": KycAttestation(True, "x", naive)}, "verified_at has no time zone"),
            ({"sanctions_attestation": SanctionsAttestation(True, naive)}, "screened_at has no"),
        ]
        for changes, message in mistakes:
            with self.subTest(message=message), self.assertRaises(ValueError) as raised:
                minted(**changes)
            self.assertIn(message, str(raised.exception))


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def in_seconds(claims: Dict[str, Any]) -> Any:
    """The vectors write their times without milliseconds."""
    return json.loads(json.dumps(claims).replace(".000Z", "Z"))


def public_pem(key: Any) -> str:
    pem: bytes = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return pem.decode()


class KeySet(unittest.TestCase):
    def test_publishes_every_key_set_of_the_vectors(self) -> None:
        for vector in VECTORS["key_sets"]:
            kids = [key["kid"] for key in vector["document"]["keys"]]
            published = key_set([PublicKey(kid, KEYS[kid]["public_key_pem"]) for kid in kids])
            self.assertEqual(published, vector["document"])

    def test_rejects_a_key_that_the_service_would_ignore(self) -> None:
        good = KEY["public_key_pem"]
        huge = rsa.RSAPublicNumbers(65_537, 2**8199 + 1).public_key()
        huge_pem = huge.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
        for keys, message in [
            ([PublicKey("k1", KEY["private_key_pem"])], "k1 is not an RSA public key in SPKI PEM"),
            ([PublicKey("k1", public_pem(ec.generate_private_key(ec.SECP256R1())))], "not an RSA"),
            ([PublicKey("k1", public_pem(rsa.generate_private_key(65_537, 1024)))], "has 1024"),
            ([PublicKey("k1", public_pem(rsa.generate_private_key(3, 2048)))], "its exponent is"),
            ([PublicKey("k1", huge_pem)], "its modulus has 8200 bits, not 2048 to 8192"),
            ([PublicKey("k1", good), PublicKey("k1", good)], "k1 is the kid of two keys"),
            ([PublicKey("", good)], "A kid has 0 characters"),
            ([PublicKey("k" * 257, good)], "A kid has 257 characters"),
            ([PublicKey(f"k{n}", good) for n in range(101)], "at most 100 keys"),
        ]:
            with self.subTest(message=message), self.assertRaises(ValueError) as raised:
                key_set(keys)
            self.assertIn(message, str(raised.exception))
