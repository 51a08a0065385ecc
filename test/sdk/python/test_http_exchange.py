"""The client over a real connection, in which only the pauses are replaced."""

import json
import socket
import ssl
import threading
import unittest
from typing import Callable, Dict, List, Tuple

from payment_intents import ApiConnectionError, ApiError, Client
from payment_intents.clock import system_now
from payment_intents.http_exchange import make_send
from payment_intents.signing import canonical_request, sign_canonical_request

from stub_service import (
    INTENT_ID,
    SECRET,
    WIRE_INTENT,
    Call,
    StubService,
    a_client,
    cancel,
    create,
    get,
)

Received = Tuple[str, Dict[str, str], bytes]
#: Answers a request on its connection, which is closed afterwards.
Handler = Callable[[socket.socket], None]

INTENT = json.dumps(WIRE_INTENT).encode()


def read_request(connection: socket.socket) -> Received:
    file = connection.makefile("rb")
    line = file.readline().decode()
    headers: Dict[str, str] = {}
    while True:
        name, colon, value = file.readline().decode().partition(":")
        if not colon:
            body = file.read(int(headers.get("content-length", "0")))
            return line.rsplit(" ", 1)[0], headers, body
        headers[name.lower()] = value.strip()


def respond(connection: socket.socket, head: str, body: bytes) -> None:
    connection.sendall(f"HTTP/1.1 {head}\r\nConnection: close\r\n\r\n".encode() + body)


def whole(connection: socket.socket) -> None:
    """200 if the signature fits the bytes that arrived, else 401."""
    line, headers, body = read_request(connection)
    method, path = line.split(" ")
    timestamp, nonce = headers["x-service-timestamp"], headers["x-service-nonce"]
    canonical = canonical_request(method, path, timestamp, nonce, body)
    is_right = headers["x-service-signature"] == sign_canonical_request(canonical, SECRET)
    status = "200 OK" if is_right else "401 Unauthorized"
    respond(connection, f"{status}\r\nContent-Length: {len(INTENT)}", INTENT)


def reset(connection: socket.socket) -> None:
    """Closes without reading."""


def cut_off(connection: socket.socket) -> None:
    read_request(connection)
    respond(connection, f"200 OK\r\nContent-Length: {len(INTENT) + 9}", INTENT)


def cut_off_in_a_chunk(connection: socket.socket) -> None:
    read_request(connection)
    respond(connection, "200 OK\r\nTransfer-Encoding: chunked", b"fff\r\n" + INTENT)


def chunked(connection: socket.socket) -> None:
    read_request(connection)
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in INTENT) + b"0\r\n\r\n"
    respond(connection, "200 OK\r\nTransfer-Encoding: chunked", chunks)


def without_length(connection: socket.socket) -> None:
    read_request(connection)
    respond(connection, "200 OK", INTENT)


def no_http(connection: socket.socket) -> None:
    read_request(connection)
    connection.sendall(b"SSH-2.0-OpenSSH\r\n")


def no_tls(connection: socket.socket) -> None:
    connection.recv(65_536)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def redirect(connection: socket.socket) -> None:
    read_request(connection)
    respond(connection, "307 Elsewhere\r\nLocation: /elsewhere\r\nContent-Length: 0", b"")


def too_long(connection: socket.socket) -> None:
    read_request(connection)
    respond(connection, "200 OK", INTENT + b" " * 70_000)


def silent(connection: socket.socket) -> None:
    """Never answers; ends when the client closes."""
    while connection.recv(65_536):
        pass


def dripping(connection: socket.socket) -> None:
    """Takes five seconds for a response, and no single read waits for long."""
    read_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    for _ in range(500):
        connection.sendall(b"x")
        threading.Event().wait(0.01)
    connection.sendall(b"\r\n\r\n" + INTENT)


class OverARealConnection(unittest.TestCase):
    def setUp(self) -> None:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.server.close)
        self.requests = 0

    def client(self, handlers: List[Handler], **options: object) -> Client:
        thread = threading.Thread(target=self.serve, args=(handlers,), daemon=True)
        thread.start()
        base_url = f"http://127.0.0.1:{self.server.getsockname()[1]}"
        given = {"base_url": base_url, "send": make_send(), "now": system_now}
        return a_client(StubService(), **{**given, **options})

    def serve(self, handlers: List[Handler]) -> None:
        for handler in handlers:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return  # the test has closed the server
            self.requests += 1
            try:
                with connection:
                    handler(connection)
            except OSError:
                pass  # the client has closed the connection

    def test_signs_the_bytes_that_arrive_also_when_it_repeats(self) -> None:
        calls: List[Call] = [lambda client: create(client, partner_user_id="đồng"), get, cancel]
        for call in calls:
            self.requests = 0
            intent = call(self.client([reset, whole]))
            self.assertEqual([intent.intent_id, self.requests], [INTENT_ID, 2])

    def test_repeats_after_a_response_that_is_not_whole(self) -> None:
        for handler in [cut_off, cut_off_in_a_chunk, no_http]:
            with self.subTest(handler=handler.__name__):
                self.requests = 0
                get(self.client([handler, whole]))
                self.assertEqual(self.requests, 2)

    def test_reads_a_response_in_chunks_and_one_without_length(self) -> None:
        for handler in [chunked, without_length]:
            with self.subTest(handler=handler.__name__):
                self.assertEqual(get(self.client([handler])).intent_id, INTENT_ID)

    def test_follows_no_redirect(self) -> None:
        with self.assertRaises(ApiError) as raised:
            get(self.client([redirect, whole]))
        self.assertEqual((raised.exception.status, self.requests), (307, 1))

    def test_does_not_accept_a_response_that_is_longer_than_any_of_the_service(self) -> None:
        with self.assertRaises(ApiError) as raised:
            get(self.client([too_long]))
        self.assertEqual(raised.exception.code, "unexpected_answer")

    def test_ends_an_attempt_at_its_timeout_also_while_bytes_arrive(self) -> None:
        for handler in [silent, dripping]:
            with self.subTest(handler=handler.__name__), self.assertRaises(ApiConnectionError) as r:
                get(self.client([handler], timeout_seconds=0.2, max_attempts=1))
            self.assertIsInstance(r.exception.__cause__, (TimeoutError, socket.timeout))
            self.assertEqual(r.exception.reason, "timed_out")
            self.assertIn("No answer in time from the service after 1 attempt", str(r.exception))

    def test_raises_when_no_server_listens(self) -> None:
        self.server.close()
        with self.assertRaises(ApiConnectionError) as raised:
            a_client(StubService(), base_url="http://127.0.0.1:1", send=make_send()).get_intent("a")
        self.assertEqual(raised.exception.attempts, 3)
        self.assertIn("ConnectionRefusedError", str(raised.exception))

    def test_rejects_a_server_that_does_not_speak_tls(self) -> None:
        base_url = f"https://127.0.0.1:{self.server.getsockname()[1]}"
        with self.assertRaises(ApiConnectionError) as raised:
            get(self.client([no_tls] * 3, base_url=base_url))
        self.assertIsInstance(raised.exception.__cause__, ssl.SSLError)
        self.assertEqual(self.requests, 3)
