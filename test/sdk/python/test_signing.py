"""Signatures of requests, compared with the published vectors (protocol 3)."""

import unittest

from payment_intents import canonical_request
from payment_intents.signing import sign_canonical_request

from stub_service import vectors

VECTORS = vectors("signing.json")


class ASignature(unittest.TestCase):
    def test_is_that_of_every_vector(self) -> None:
        self.assertGreater(len(VECTORS["requests"]), 5)
        for vector in VECTORS["requests"]:
            with self.subTest(name=vector["name"]):
                canonical = canonical_request(
                    method=vector["method"],
                    path=vector["path"],
                    timestamp=vector["timestamp"],
                    nonce=vector["nonce"],
                    body=vector["body"].encode(),
                )
                self.assertEqual(canonical, vector["canonical"])
                signature = sign_canonical_request(canonical, vector["secret"])
                self.assertEqual(signature, vector["signature"])

    def test_is_none_that_a_common_mistake_makes(self) -> None:
        wrong = {vector["signature"] for vector in VECTORS["not_equal"]}
        right = {
            sign_canonical_request(vector["canonical"], vector["secret"])
            for vector in VECTORS["requests"]
        }
        self.assertEqual(wrong & right, set())
