"""Parses header and claims of a session token by their exact JSON types (protocol 4.1 and 4.2).

A malformed token names the first member that is wrong. The rules are those of
src/signing/token-claims.ts.
"""

import base64
import json
import re
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

_TOKEN_MAX_CHARACTERS = 8_192
_TEXT_MAX_CHARACTERS = 1_024
_KID_MAX_CHARACTERS = 256
_JSON_DEPTH_MAX = 32
_INTEGER_MAX = 2**53 - 1

#: The value of a member that is not there; null is None.
MISSING = object()

Claims = Mapping[str, Any]


class UnverifiedToken(NamedTuple):
    kid: str
    claims: Claims


class MalformedToken(NamedTuple):
    #: Such as `exp`, `header.kid` or `service:kyc_attestation.method`.
    member: str
    expected: str
    found: object


class _Rule(NamedTuple):
    member: str
    expected: str
    holds: Callable[[object], bool]


_Kind = Tuple[str, Callable[[object], bool]]


def _is_text(value: object) -> bool:
    """Postgres cannot store NUL or lone surrogates."""
    is_bounded = isinstance(value, str) and 1 <= len(value) <= _TEXT_MAX_CHARACTERS
    return is_bounded and re.search("[\0\ud800-\udfff]", str(value)) is None


def _is_integer(value: object) -> bool:
    # Python counts True as 1.
    return isinstance(value, int) and type(value) is not bool and abs(value) <= _INTEGER_MAX


_TEXT: _Kind = (
    f"a string of 1 to {_TEXT_MAX_CHARACTERS} characters, without NUL or lone surrogate",
    _is_text,
)
_STRING: _Kind = ("a string", lambda value: isinstance(value, str))
_INTEGER: _Kind = ("an integer", _is_integer)
_BOOLEAN: _Kind = ("true or false", lambda value: isinstance(value, bool))
_OBJECT: _Kind = ("an object", lambda value: isinstance(value, dict))
_ABSENT: _Kind = ("no such member", lambda value: value is MISSING)
_KYC = "service:kyc_attestation"
_SANCTIONS = "service:sanctions_attestation"

_CLAIM_RULES = (
    _Rule("iss", *_TEXT),
    _Rule("aud", *_STRING),
    _Rule("sub", *_TEXT),
    _Rule("iat", *_INTEGER),
    _Rule("exp", *_INTEGER),
    _Rule("jti", *_TEXT),
    _Rule("nbf", "an integer, or absent", lambda value: value is MISSING or _is_integer(value)),
    _Rule("service:intent_id", *_STRING),
    _Rule("service:amount_usd_cents", *_INTEGER),
    _Rule("service:corridor", *_STRING),
    _Rule(_KYC, *_OBJECT),
    _Rule(f"{_KYC}.verified", *_BOOLEAN),
    _Rule(f"{_KYC}.method", *_TEXT),
    _Rule(f"{_KYC}.verified_at", *_STRING),
    _Rule(_SANCTIONS, *_OBJECT),
    _Rule(f"{_SANCTIONS}.clean", *_BOOLEAN),
    _Rule(f"{_SANCTIONS}.screened_at", *_STRING),
)

_HEADER_RULES = (
    _Rule("alg", "RS256", lambda value: value == "RS256"),
    _Rule(
        "kid",
        f"a string of 1 to {_KID_MAX_CHARACTERS} characters",
        lambda value: isinstance(value, str) and 1 <= len(value) <= _KID_MAX_CHARACTERS,
    ),
    _Rule("crit", *_ABSENT),
    _Rule("b64", *_ABSENT),
)


def read_token(token: str) -> Union[UnverifiedToken, MalformedToken]:
    if len(token) > _TOKEN_MAX_CHARACTERS:
        return MalformedToken("token", f"at most {_TOKEN_MAX_CHARACTERS} characters", len(token))
    segments = token.split(".")
    if len(segments) != 3:
        found = f"{len(segments)} segments"
        return MalformedToken("token", "three segments with dots between", found)
    for name, segment in zip(("header", "claims", "signature"), segments):
        if decode_segment(segment) == b"":
            expected = "base64url without padding, in its only spelling"
            return MalformedToken(name, expected, f"{len(segment)} characters")
    header, claims = (_parse(decode_segment(segment)) for segment in segments[:2])
    malformed = _fault_in("header", header, _HEADER_RULES) or _fault_in(
        "claims", claims, _CLAIM_RULES
    )
    return malformed or UnverifiedToken(header["kid"], claims)


def decode_segment(segment: str) -> bytes:
    """Empty unless the segment is canonical base64url without padding (RFC 7515, section 2)."""
    try:
        data = base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4))
    except ValueError:
        return b""
    # The decoder skips characters that are not base64.
    is_canonical = base64.urlsafe_b64encode(data).rstrip(b"=").decode() == segment
    return data if is_canonical else b""


def _fault_in(part: str, value: object, rules: Sequence[_Rule]) -> Optional[MalformedToken]:
    if not isinstance(value, dict):
        return MalformedToken(part, "a JSON object in UTF-8", value)
    for member, expected, holds in rules:
        outer, _, inner = member.partition(".")
        found = value.get(outer, MISSING)
        if inner != "" and isinstance(found, dict):
            found = found.get(inner, MISSING)
        if not holds(found):
            named = f"header.{member}" if part == "header" else member
            return MalformedToken(named, expected, found)
    return None


class _UnclearJson(ValueError):
    """Two parsers could read the text differently (decision 24)."""


def _parse(data: bytes) -> Any:
    """The value, or the sentence that says why this is not clear JSON."""
    try:
        value: object = json.loads(
            data.decode(),
            object_pairs_hook=_unique_members,
            parse_float=_exact_number,
            parse_constant=_reject_constant,
        )
        if _levels(value) > _JSON_DEPTH_MAX:
            return f"The token has more than {_JSON_DEPTH_MAX} levels."
        return value
    except _UnclearJson as unclear:
        return str(unclear)
    except (ValueError, RecursionError):
        return "The token is not JSON in UTF-8."


def _unique_members(pairs: List[Tuple[str, object]]) -> Dict[str, object]:
    members: Dict[str, object] = {}
    for name, value in pairs:
        if name == "__proto__":
            raise _UnclearJson("The token has the member __proto__, which is not defined.")
        if name in members:
            is_showable = re.fullmatch("[ -~]{1,64}", name) is not None
            raise _UnclearJson(
                f"The token has {f'the member {name}' if is_showable else 'a member'} twice."
            )
        members[name] = value
    return members


def _exact_number(literal: str) -> Union[int, float]:
    """100.0 and 1e2 are integers; 0.99999999999999999 is none, but many parsers read 1."""
    value = float(literal)
    if abs(value) > _INTEGER_MAX or not value.is_integer():
        return value
    mantissa, _, exponent = literal.lower().partition("e")
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    point_at = max(0, len(whole) + int(exponent or "0"))
    if (whole + fraction)[point_at:].strip("0") != "":
        raise _UnclearJson("The token has a number whose fraction would be rounded away.")
    return int(value)


def _reject_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _levels(value: object) -> int:
    if not isinstance(value, (dict, list)):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max((_levels(one) for one in inner), default=0)
