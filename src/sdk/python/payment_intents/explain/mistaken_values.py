"""Wrong values that signing code uses by mistake. The rows of signing_mistakes.py explain each."""

import base64
import json
import re
from datetime import datetime, timezone
from typing import List, Optional
from urllib.parse import unquote_to_bytes

from ..intent import as_instant

DIGESTS_FOR_NONE = (
    # The SHA-256 of nothing, of "{}" and of "null".
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
    "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b",
)


def bodies_serialized_again(text: str) -> List[bytes]:
    """The same JSON as other serializers write it: compact, spaced, indented, sorted, in ASCII."""
    try:
        value: object = json.loads(text)
        written = [
            layout
            for is_sorted in (False, True)
            for is_ascii in (False, True)
            for layout in _layouts(value, is_sorted, is_ascii)
        ]
    except (ValueError, RecursionError):
        # Not JSON, or nested too deeply: then the caller's code has not serialized it again either.
        return []
    return [_utf8(one) for text in written for one in (text, text.replace("/", "\\/"))]


def _layouts(value: object, is_sorted: bool, is_ascii: bool) -> List[str]:
    def write(indent: Optional[int], separators: "tuple[str, str]") -> str:
        return json.dumps(
            value,
            indent=indent,
            separators=separators,
            sort_keys=is_sorted,
            ensure_ascii=is_ascii,
        )

    indented = [write(spaces, (",", ": ")) for spaces in (2, 4)]
    return [write(None, (",", ":")), write(None, (", ", ": ")), *indented]


def bodies_with_other_end(text: str) -> List[bytes]:
    others = [text + "\n", text + "\r\n", re.sub(r"\r?\n\Z", "", text), text.strip()]
    return [_utf8(other) for other in others]


def bodies_encoded_otherwise(text: str) -> List[bytes]:
    mark = "\ufeff"
    return [
        text.encode("utf-16-le", "surrogatepass"),
        (mark + text).encode("utf-16-le", "surrogatepass"),
        text.encode("utf-16-be", "surrogatepass"),
        text.encode("latin-1", "replace"),
        _utf8(mark + text),
        _utf8(text.replace(mark, "", 1)),
    ]


def paths_in_other_form(path: str) -> List[str]:
    decoded = unquote_to_bytes(path).decode("utf-8", "replace")
    return [decoded, re.sub("^/v1", "", path), re.sub("/$", "", path), path + "/"]


def paths_in_part(path: str) -> List[str]:
    """The empty text, and the path up to each of its slashes."""
    parts = path.split("/")
    return ["/".join(parts[:index]) for index in range(len(parts))]


def secrets_with_other_ends(secret: str) -> List[str]:
    trimmed = secret.strip()
    return [secret + "\n", secret + "\r\n", secret + " ", " " + secret, trimmed, f'"{trimmed}"']


def secrets_decoded(secret: str) -> List[bytes]:
    keys = []
    for decode in (_from_base64, bytes.fromhex):
        try:
            keys.append(decode(secret))
        except ValueError:
            # The caller's code cannot have decoded it either.
            continue
    return keys


def _from_base64(text: str) -> bytes:
    standard = text.replace("-", "+").replace("_", "/")
    return base64.b64decode(standard + "=" * (-len(standard) % 4))


def other_timestamps(timestamp: str) -> List[str]:
    """The same instant in other formats."""
    whole = re.sub(r"\.[0-9]+", "", timestamp, count=1)
    with_zone = [
        other
        for text in (whole, timestamp)
        for other in (
            text,
            text.replace("+00:00", "Z"),
            re.sub("[zZ]$", "+00:00", text),
            text.upper(),
            re.sub("[tT]", " ", text, count=1),
        )
    ]
    try:
        instant = as_instant({"": timestamp.upper()}, "")
    except ValueError:
        return with_zone
    utc = instant.astimezone(timezone.utc)
    iso = utc.strftime("%Y-%m-%dT%H:%M:%S.") + f"{utc.microsecond // 1000:03d}Z"
    seconds = int((utc - datetime(1970, 1, 1, tzinfo=timezone.utc)).total_seconds())
    return [*with_zone, iso, str(seconds), str(seconds * 1000 + utc.microsecond // 1000)]


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
