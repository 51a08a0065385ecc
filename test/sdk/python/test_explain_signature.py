"""Every 401 is the same, so the explanation must find the mistake behind a rejected signature."""

import base64
import hashlib
import hmac
import unittest
from datetime import datetime, timezone
from typing import Any, Dict, List, Optional

from payment_intents import SignatureExplanation, explain_signature

from stub_service import vectors

VECTORS = vectors("signing.json")
REQUESTS: Dict[str, Dict[str, str]] = {one["name"]: one for one in VECTORS["requests"]}
SECRET = "sandbox_signing_secret_for_vectors_only"

#: The component of each mistake of the vectors.
PART_OF = {
    "newline-at-the-end": "joining",
    "newline-left-off-for-no-body": "joining",
    "line-ends-of-two-characters": "joining",
    "digest-of-no-bytes": "body digest",
    "digest-in-capitals": "body digest",
    "digest-in-base64": "body digest",
    "body-serialized-again": "body digest",
    "body-in-utf-16": "body digest",
    "method-in-lowercase": "method",
    "query-string-included": "path",
    "address-in-place-of-the-path": "path",
    "path-decoded": "path",
    "timestamp-rewritten": "timestamp",
    "nonce-before-timestamp": "joining",
    "signature-in-base64url": "encoding",
    "signature-without-padding": "encoding",
    "signature-in-hex": "encoding",
}


def explained(name: str = "create", **changes: Any) -> SignatureExplanation:
    vector = REQUESTS[name]
    given: Dict[str, Any] = {
        "key_id": vector["key_id"],
        "signing_secret": vector["secret"],
        "method": vector["method"],
        "target": vector["path"],
        "timestamp": vector["timestamp"],
        "nonce": vector["nonce"],
        "body": vector["body"],
    }
    return explain_signature(**{**given, **changes})


def signed(**changes: Any) -> str:
    """The signature of code that signs with these changed values."""
    return explained(**changes).headers["X-Service-Signature"]


def parts(signature: str, name: str = "create", **changes: Any) -> Optional[List[str]]:
    comparison = explained(name, signature=signature, **changes).comparison
    if comparison is None:
        return None
    return [mistake.component for mistake in comparison.likely_mistakes]


class ARequestOfTheVectors(unittest.TestCase):
    def test_is_explained_as_it_is_signed(self) -> None:
        for name, vector in REQUESTS.items():
            with self.subTest(name=name):
                found = explained(name, signature=vector["signature"])
                self.assertEqual(found.canonical_request, vector["canonical"])
                self.assertEqual(found.canonical_bytes, vector["canonical"].encode())
                digest = hashlib.sha256(vector["canonical"].encode()).hexdigest()
                self.assertEqual(found.canonical_sha256, digest)
                values = [component.value for component in found.components]
                self.assertEqual("\n".join(values), vector["canonical"])
                self.assertEqual(found.headers["X-Service-Signature"], vector["signature"])
                self.assertEqual(found.comparison and found.comparison.is_equal, True)
                self.assertEqual(parts(vector["signature"], name), [])

    def test_is_explained_without_its_secret_and_shown_without_its_signature(self) -> None:
        found = explained(signature="another")
        self.assertNotIn(SECRET, repr(found) + str(found.headers))
        self.assertNotIn(found.headers["X-Service-Signature"], repr(found))


class AMistakeOfTheVectors(unittest.TestCase):
    def test_is_found(self) -> None:
        for mistake in VECTORS["not_equal"]:
            with self.subTest(name=mistake["name"]):
                path = REQUESTS[mistake["of"]]["path"]
                target = f"https://sandbox.example{path}?view=full"
                found = parts(mistake["signature"], mistake["of"], target=target)
                self.assertEqual(found, [PART_OF[mistake["name"]]])


class ASignatureThatDiffers(unittest.TestCase):
    def test_is_explained(self) -> None:
        body = REQUESTS["create"]["body"]
        cases: List[Any] = [
            ({"signing_secret": SECRET + "\n"}, "secret"),
            ({"signing_secret": SECRET + " "}, "secret"),
            ({"body": body + "\n"}, "body digest"),
            ({"body": ""}, "body digest"),
            ({"body": body.replace(",", ", ").replace(":", ": ")}, "body digest"),
            ({"method": "GET"}, "method"),
            ({"target": "/payment_intents"}, "path"),
            ({"target": ""}, "path"),
            ({"target": "/v1"}, "path"),
            ({"timestamp": "2025-01-15T10:30:00.000Z"}, "timestamp"),
            ({"timestamp": "1736937000"}, "timestamp"),
            ({"nonce": REQUESTS["create"]["nonce"].upper()}, "nonce"),
        ]
        for change, part in cases:
            with self.subTest(change=change):
                self.assertEqual(parts(signed(**change)), [part])

    def test_because_of_a_secret_decoded_from_base64_is_explained(self) -> None:
        key = base64.b64encode(b"k" * 33).decode()
        canonical = explained().canonical_bytes
        mac = hmac.new(base64.b64decode(key), canonical, hashlib.sha256).digest()
        found = parts(base64.b64encode(mac).decode(), signing_secret=key)
        self.assertEqual(found, ["secret"])

    def test_because_of_an_empty_key_is_explained(self) -> None:
        mac = hmac.new(b"", explained().canonical_bytes, hashlib.sha256).digest()
        comparison = explained(signature=base64.b64encode(mac).decode()).comparison
        assert comparison is not None
        sentences = [mistake.sentence for mistake in comparison.likely_mistakes]
        self.assertEqual([sentence[:19] for sentence in sentences], ["The key was empty. "])

    def test_because_of_two_mistakes_names_both(self) -> None:
        signature = signed(signing_secret=SECRET + "\n", target="/payment_intents")
        self.assertEqual(parts(signature), ["path", "secret"])

    def test_for_an_unknown_reason_has_no_mistake(self) -> None:
        self.assertEqual(parts("another"), [])

    def test_is_not_compared_when_none_is_given(self) -> None:
        self.assertIsNone(explained().comparison)


class AProblem(unittest.TestCase):
    def test_of_the_input_is_named(self) -> None:
        late = datetime(2025, 1, 15, 10, 36, tzinfo=timezone.utc)
        cases: List[Any] = [
            ({"method": "post"}, "The method is not in capitals"),
            ({"target": "payment_intents"}, "The path does not begin with a slash"),
            ({"target": "/v1/payment_intents?a=b"}, "The query string is not signed"),
            ({"key_id": ""}, "X-Service-Key-Id is missing"),
            ({"timestamp": ""}, "X-Service-Timestamp is missing"),
            ({"timestamp": "2025-01-15T10:30:00+07:00"}, "not RFC 3339 in UTC"),
            ({"timestamp": "2025-02-30T10:30:00Z"}, "not RFC 3339 in UTC"),
            ({"nonce": "ABC"}, "The nonce is not 64 lowercase hex characters"),
            ({"signing_secret": ""}, "The signing secret is empty"),
            ({"signing_secret": " s"}, "begins or ends with white space"),
            ({"signature": ""}, "X-Service-Signature is missing"),
            ({"now": late}, "The timestamp is 360 s behind this clock"),
        ]
        for change, sentence in cases:
            with self.subTest(change=change):
                found = explained(**change).problems
                self.assertTrue(any(sentence in one for one in found), found)

    def test_is_none_of_a_right_request(self) -> None:
        self.assertEqual(explained().problems, ())
