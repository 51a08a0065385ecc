"""Sends one HTTP request within one deadline, with the standard library alone.

It follows no redirect, which would send the signature elsewhere, and reads no proxy settings.
"""

import io
import socket
import ssl
import time
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection, IncompleteRead
from typing import Callable, Mapping
from urllib.parse import urlsplit

# Over a hundred times an intent. A longer response is not from the service and is not read.
ANSWER_MAX_BYTES = 65_536


@dataclass(frozen=True)
class HttpRequest:
    method: str
    url: str
    headers: Mapping[str, str]
    #: The signed bytes; empty when there is no body. Send them unchanged.
    body: bytes
    #: For the whole exchange, from the connection to the last byte.
    timeout_seconds: float


@dataclass(frozen=True)
class HttpAnswer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    def header(self, name: str) -> str:
        """The value of a header, its name in any case; empty when there is none."""
        named = (value for key, value in self.headers.items() if key.lower() == name.lower())
        return next(named, "")


#: Sends a request and follows no redirect. Whatever it raises counts as "no response".
Send = Callable[[HttpRequest], HttpAnswer]


def make_send() -> Send:
    """The default: a new connection for each request, so that threads may share it."""
    context = ssl.create_default_context()
    return lambda request: _exchange(request, context)


def _exchange(request: HttpRequest, context: ssl.SSLContext) -> HttpAnswer:
    deadline = _Deadline(request.timeout_seconds)
    url = urlsplit(request.url)
    host, is_https = url.hostname or "", url.scheme == "https"
    connection = (HTTPSConnection if is_https else HTTPConnection)(host, url.port)
    inner = _connect(host, connection.port, deadline)
    try:
        if is_https:
            inner.settimeout(deadline.remaining_seconds())
            inner = context.wrap_socket(inner, server_hostname=host)
        connection.sock = _BoundedSocket(inner, deadline)
        connection.request(request.method, url.path, request.body or None, dict(request.headers))
        with connection.getresponse() as response:
            return _read(response)
    finally:
        inner.close()


def _connect(host: str, port: int, deadline: "_Deadline") -> socket.socket:
    """Tries the host's addresses in turn, each with an equal share of the time that remains."""
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    failure = OSError(f"{host} has no address")
    for index, (family, kind, protocol, _, address) in enumerate(addresses):
        share = deadline.remaining_seconds() / (len(addresses) - index)
        inner = socket.socket(family, kind, protocol)
        try:
            inner.settimeout(share)
            inner.connect(address)
            return inner
        except OSError as cause:
            inner.close()
            failure = cause
    raise failure


def _read(response: HTTPResponse) -> HttpAnswer:
    body = response.read(ANSWER_MAX_BYTES + 1)
    # With a number of bytes, `read` returns a body that was cut off like a whole one.
    if len(body) <= ANSWER_MAX_BYTES and response.length:
        raise IncompleteRead(body, response.length)
    return HttpAnswer(response.status, dict(response.headers.items()), body)


class _Deadline:
    """The timeout of a socket bounds each of its calls; this bounds their sum."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._at = time.monotonic() + seconds

    def remaining_seconds(self) -> float:
        remaining = self._at - time.monotonic()
        if remaining <= 0:
            raise TimeoutError(f"no complete response within {self._seconds:g} s")
        return remaining


class _BoundedSocket:
    """The part of a socket that http.client uses, with the remaining time before every call."""

    def __init__(self, inner: socket.socket, deadline: _Deadline) -> None:
        self._inner = inner
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        self._inner.settimeout(self._deadline.remaining_seconds())
        self._inner.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_BoundedReader(self._inner, self._deadline))

    def close(self) -> None:
        """Does nothing: http.client closes the socket before it has read a last response."""


class _BoundedReader(io.RawIOBase):
    def __init__(self, inner: socket.socket, deadline: _Deadline) -> None:
        self._inner = inner
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._inner.settimeout(self._deadline.remaining_seconds())
        return self._inner.recv_into(buffer)
