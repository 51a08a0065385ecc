"""The inputs of a signature, each of which a mistake may replace (protocol 3.2)."""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from typing import Callable, List, Literal, NamedTuple

from ..signing import body_digest

MistakenPart = Literal[
    "method", "path", "timestamp", "nonce", "body digest", "joining", "secret", "encoding"
]


class MistakableRequest(NamedTuple):
    method: str
    path: str
    timestamp: str
    nonce: str
    body: bytes
    #: Scheme and host; empty when only a path was given.
    origin: str
    #: Includes the question mark; empty without a query string.
    query: str
    secret: str


@dataclass(frozen=True)
class Signing:
    """The inputs of a signature. Each mistake replaces some of them."""

    method: str
    path: str
    timestamp: str
    nonce: str
    digest: str
    key: bytes
    join: Callable[["Signing"], str]
    encode: Callable[[bytes], str]

    def listed(self) -> List[str]:
        return [self.method, self.path, self.timestamp, self.nonce, self.digest]

    def signature(self) -> str:
        text = self.join(self).encode("utf-8", "surrogatepass")
        return self.encode(hmac.new(self.key, text, hashlib.sha256).digest())


def right_signing(request: MistakableRequest) -> Signing:
    return Signing(
        method=request.method,
        path=request.path,
        timestamp=request.timestamp,
        nonce=request.nonce,
        digest=body_digest(request.body),
        key=utf8(request.secret),
        join=joined_by("\n"),
        encode=lambda mac: base64.b64encode(mac).decode(),
    )


def joined_by(separator: str) -> Callable[[Signing], str]:
    return lambda signing: separator.join(signing.listed())


def utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
