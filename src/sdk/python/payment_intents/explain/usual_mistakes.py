"""The table of usual signing mistakes (protocol 3.2).

Each row computes the signatures that the mistake produces. The rows are those of
src/signing/signing-mistakes.ts.
"""

import base64
from dataclasses import replace
from typing import Callable, List, NamedTuple, Sequence

from ..signing import body_digest
from .mistaken_signing import MistakableRequest, MistakenPart, Signing, joined_by, utf8
from .mistaken_values import (
    DIGESTS_FOR_NONE,
    bodies_encoded_otherwise,
    bodies_serialized_again,
    bodies_with_other_end,
    other_timestamps,
    paths_in_other_form,
    paths_in_part,
    secrets_decoded,
    secrets_with_other_ends,
)

#: A replacement of some inputs of the right signature.
_Change = Callable[[Signing], Signing]
_Make = Callable[[MistakableRequest], Sequence[_Change]]


class Row(NamedTuple):
    component: MistakenPart
    sentence: str
    make: _Make


def _each(name: str, values: Sequence[object]) -> List[_Change]:
    def replacing(value: object) -> _Change:
        changes = {name: value}
        return lambda signing: replace(signing, **changes)  # type: ignore[arg-type]

    return [replacing(value) for value in values]


def _digests_of(bodies: Sequence[bytes]) -> List[_Change]:
    return _each("digest", [body_digest(body) for body in bodies])


def _text(request: MistakableRequest) -> str:
    return request.body.decode("utf-8", "replace")


def _digest_in_other_format(signing: Signing, kind: int) -> Signing:
    raw = bytes.fromhex(signing.digest)
    forms = [
        signing.digest.upper(),
        base64.b64encode(raw).decode(),
        base64.urlsafe_b64encode(raw).rstrip(b"=").decode(),
    ]
    return replace(signing, digest=forms[kind])


def _other_nonces(nonce: str) -> List[str]:
    try:
        raw = bytes.fromhex(nonce)
    except ValueError:
        return [nonce.upper(), ""]
    return [nonce.upper(), base64.b64encode(raw).decode(), raw.decode("latin-1"), ""]


def _without_path(signing: Signing) -> str:
    return "\n".join([signing.method, signing.timestamp, signing.nonce, signing.digest])


def _hex_of_mac(mac: bytes) -> bytes:
    return mac.hex().encode()


_ENCODINGS: Sequence[Callable[[bytes], str]] = (
    lambda mac: base64.urlsafe_b64encode(mac).rstrip(b"=").decode(),
    lambda mac: base64.urlsafe_b64encode(mac).decode(),
    lambda mac: base64.b64encode(mac).rstrip(b"=").decode(),
    lambda mac: mac.hex(),
    lambda mac: mac.hex().upper(),
    lambda mac: base64.b64encode(_hex_of_mac(mac)).decode(),
    lambda mac: base64.b64encode(mac).decode() + "\n",
)


ROWS: Sequence[Row] = (
    Row(
        "body digest",
        "The body was serialized again. Serialize once, then sign and send exactly those bytes.",
        lambda request: _digests_of(bodies_serialized_again(_text(request))),
    ),
    Row(
        "body digest",
        "The signed and the sent body differ in a line end. Sign exactly the bytes that you send.",
        lambda request: _digests_of(bodies_with_other_end(_text(request))),
    ),
    Row(
        "body digest",
        "The digest is of the body in another encoding. Hash exactly the bytes that you send.",
        lambda request: _digests_of(bodies_encoded_otherwise(_text(request))),
    ),
    Row(
        "body digest",
        "The body was left out. The fifth component is the digest of the body, for every method.",
        lambda request: _each("digest", [""]) if request.body else [],
    ),
    Row(
        "body digest",
        'Without a body the fifth component is empty, not the SHA-256 of nothing, "{}" or "null".',
        lambda request: [] if request.body else _each("digest", DIGESTS_FOR_NONE),
    ),
    Row(
        "body digest",
        "The digest was signed in another format. Use lowercase hex; only the signature is base64.",
        lambda request: [
            lambda signing: _digest_in_other_format(signing, 0),
            lambda signing: _digest_in_other_format(signing, 1),
            lambda signing: _digest_in_other_format(signing, 2),
        ],
    ),
    Row(
        "body digest",
        "The body itself was signed. The fifth component is its SHA-256.",
        lambda request: _each("digest", [_text(request)]),
    ),
    Row(
        "path",
        "The query string was signed. The path ends before the question mark.",
        lambda request: _each("path", [request.path + request.query]) if request.query else [],
    ),
    Row(
        "path",
        "The full URL was signed. Sign only the path, without scheme and host.",
        lambda request: (
            _each("path", [request.origin + request.path + end for end in ("", request.query)])
            if request.origin
            else []
        ),
    ),
    Row(
        "path",
        "The path was signed in another form. Sign it as sent on the request line, including /v1.",
        lambda request: _each("path", paths_in_other_form(request.path)),
    ),
    Row(
        "path",
        "The path was left out, or signed only in part."
        " Sign all of it, as sent on the request line.",
        lambda request: _each("path", paths_in_part(request.path)) + _each("join", [_without_path]),
    ),
    Row(
        "method",
        "Another method or a method in lowercase was signed. Sign it as on the request line.",
        lambda request: _each("method", [request.method.lower(), "GET", "POST"]),
    ),
    Row(
        "timestamp",
        "The timestamp was signed in another form. Sign exactly the text of X-Service-Timestamp.",
        lambda request: _each("timestamp", other_timestamps(request.timestamp)),
    ),
    Row(
        "nonce",
        "The nonce was signed in another form. Sign exactly the text of X-Service-Nonce.",
        lambda request: _each("nonce", _other_nonces(request.nonce)),
    ),
    Row(
        "joining",
        "A newline follows the last component. Put newlines only between the five components.",
        lambda request: _each("join", [lambda signing: joined_by("\n")(signing) + "\n"]),
    ),
    Row(
        "joining",
        "The newline before the empty fifth component is missing. There are always four newlines.",
        lambda request: (
            [] if request.body else _each("join", [lambda s: "\n".join(s.listed()[:4])])
        ),
    ),
    Row(
        "joining",
        "The components are not joined by single newlines (U+000A),"
        " but by other characters or none.",
        lambda request: _each(
            "join", [joined_by(separator) for separator in ("\r\n", "\\n", "", " ", "|")]
        ),
    ),
    Row(
        "joining",
        "Timestamp and nonce were signed in the wrong order. The timestamp comes before the nonce.",
        lambda request: [
            lambda signing: replace(signing, timestamp=request.nonce, nonce=request.timestamp)
        ],
    ),
    Row(
        "secret",
        "The secret was used with a line end, space or quote too many or too few."
        " Use its exact characters; a file or echo adds a newline.",
        lambda request: _each("key", list(map(utf8, secrets_with_other_ends(request.secret)))),
    ),
    Row(
        "secret",
        "The key was empty. The secret was decoded, or its variable is not set.",
        lambda request: _each("key", [b""]),
    ),
    Row(
        "secret",
        "The secret was decoded. Use its UTF-8 bytes as the key, even if it looks encoded.",
        lambda request: _each("key", secrets_decoded(request.secret)),
    ),
    Row(
        "encoding",
        "The signature is in another encoding. Use base64 with +, / and the = at the end.",
        lambda request: _each("encode", _ENCODINGS),
    ),
)
