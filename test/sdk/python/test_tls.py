"""The client over TLS: it calls only a server whose certificate is trusted and names its host."""

import json
import os
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from typing import List
from unittest import mock

from payment_intents import ApiConnectionError, Client
from payment_intents.http_exchange import Send, make_send

from stub_service import INTENT_ID, WIRE_INTENT, StubService, a_client, get

MAKE_CERTIFICATE = (
    "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=test -keyout key.pem"
    " -out certificate.pem -addext subjectAltName=IP:127.0.0.1"
)


class OverTls(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = folder.name
        subprocess.run(MAKE_CERTIFICATE.split(), cwd=path, check=True, capture_output=True)
        self.certificate = Path(path, "certificate.pem")
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, Path(path, "key.pem"))
        self.server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.server.close)
        self.received: List[bytes] = []

    def client(self, host: str, send: Send) -> Client:
        threading.Thread(target=self.serve, daemon=True).start()
        base_url = f"https://{host}:{self.server.getsockname()[1]}"
        return a_client(StubService(), base_url=base_url, send=send, max_attempts=1)

    def serve(self) -> None:
        body = json.dumps(WIRE_INTENT).encode()
        try:
            plain, _ = self.server.accept()
            with plain, self.context.wrap_socket(plain, server_side=True) as connection:
                self.received.append(connection.recv(65_536))
                connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body)
        except OSError:
            pass  # the client has rejected the certificate

    def trusting_send(self) -> Send:
        with mock.patch.dict(os.environ, {"SSL_CERT_FILE": str(self.certificate)}):
            return make_send()

    def test_gets_an_intent_from_a_server_that_it_trusts(self) -> None:
        self.assertEqual(get(self.client("127.0.0.1", self.trusting_send())).intent_id, INTENT_ID)
        self.assertIn(b"X-Service-Signature: ", self.received[0])

    def test_sends_nothing_to_a_server_that_it_does_not_trust(self) -> None:
        with self.assertRaises(ApiConnectionError) as raised:
            get(self.client("127.0.0.1", make_send()))
        self.assertIsInstance(raised.exception.__cause__, ssl.SSLCertVerificationError)
        self.assertEqual(self.received, [])

    def test_sends_nothing_to_a_server_whose_certificate_names_another_host(self) -> None:
        with self.assertRaises(ApiConnectionError) as raised:
            get(self.client("localhost", self.trusting_send()))
        self.assertIsInstance(raised.exception.__cause__, ssl.SSLCertVerificationError)
        self.assertEqual(self.received, [])
