"""Checks options early, where the message can name the mistake.

With an empty value, as from an unset variable, every call would just get a 401.
"""

import math
import re
from urllib.parse import urlsplit


_BASE_URL = re.compile(r"https?://[^\s/?#@\\]+(/[\w/.~%-]*)?", re.ASCII | re.IGNORECASE)


def non_empty(name: str, value: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__}: give a text.")
    if value == "":
        raise ValueError(f"{name} is empty: is its environment variable or setting missing?")
    return value


def checked_base_url(name: str, value: str) -> str:
    """Returns it without slashes at its end. No message repeats it: it may hold credentials."""
    url = non_empty(name, value).rstrip("/")
    if not _BASE_URL.fullmatch(url):
        raise ValueError(
            f"{name} is not an absolute URL: give one such as https://pay.example, without spaces,"
            " credentials, query or fragment."
        )
    if re.search("/v1(/|$)", url):
        raise ValueError(f"{name} has /v1 in it, which the client adds itself: remove it.")
    _check_port(name, url)
    return url


def _check_port(name: str, url: str) -> None:
    try:
        port = urlsplit(url).port
    except ValueError as cause:
        raise ValueError(f"{name} has an invalid port: give 1 to 65535, or none.") from cause
    if port == 0:
        raise ValueError(f"{name} has the port 0: give 1 to 65535, or none.")


def checked_key_id(value: str) -> str:
    """A header cannot carry it otherwise. A file or echo adds a line end."""
    if re.fullmatch(r"[!-~]+", non_empty("key_id", value)):
        return value
    raise ValueError(
        "key_id has a space or a line end, or a character beyond ASCII: take them off."
    )


def checked_timeout(seconds: float) -> float:
    if not isinstance(seconds, (int, float)) or isinstance(seconds, bool):
        raise TypeError(f"timeout_seconds is {type(seconds).__name__}: give a number of seconds.")
    if not (seconds > 0 and math.isfinite(seconds)):
        raise ValueError(f"timeout_seconds is {seconds}: give more than 0 seconds, such as 15.")
    return seconds


def whole_from_one(name: str, value: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, not a whole number: give an int of at least 1.")
    if value < 1:
        raise ValueError(f"{name} is {value}: give a whole number of at least 1.")
    return value


def checked_idempotency_key(key: str) -> str:
    """HTTP removes spaces around a header value, and cannot hold characters beyond ASCII."""
    if isinstance(key, str) and re.fullmatch(r"[ -~]{1,256}", key) and key.strip(" ") == key:
        return key
    raise ValueError(
        "idempotency_key is not 1 to 256 printable ASCII characters without a space at either end:"
        " give one such as your order number."
    )
