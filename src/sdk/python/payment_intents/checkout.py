"""Builds the URL at which the hosted checkout opens (protocol 6.1)."""

import re
from typing import Optional
from urllib.parse import quote

from .client_options import checked_base_url, non_empty

# The browser or the system handles these itself (decision 28).
_NEVER_AN_APPS_OWN = frozenset(
    ["http", "https", "javascript", "data", "file", "intent", "blob", "about", "vbscript"]
)


def checkout_url(
    *,
    checkout_base_url: str,
    intent_id: str,
    session_token: str,
    return_scheme: Optional[str] = None,
) -> str:
    """Returns `{checkout_base_url}/flow/<intent_id>/scan#token=<session_token>`.

    Nothing behind the `#` reaches a server. Do not log the URL: until the payer has confirmed,
    anyone who has it can confirm. `checkout_base_url` is without `/flow`. `return_scheme` is the
    registered URL scheme of your app in lower case, such as `partnerapp`.

    Raises ValueError when a part is empty or `return_scheme` is not a valid scheme for an app.
    """
    base = checked_base_url("checkout_base_url", checkout_base_url)
    page = f"{base}/flow/{_encoded(non_empty('intent_id', intent_id))}/scan"
    fragment = f"token={_encoded(non_empty('session_token', session_token))}"
    if return_scheme is None:
        return f"{page}#{fragment}"
    return f"{page}#{fragment}&return_scheme={_encoded(_checked_scheme(return_scheme))}"


def _checked_scheme(scheme: str) -> str:
    if re.fullmatch(r"[a-z][a-z0-9+.-]{1,62}", scheme) and scheme not in _NEVER_AN_APPS_OWN:
        return scheme
    raise ValueError(
        f"{scheme!r} is not a valid URL scheme for an app: give the registered one in lower case,"
        " without ://, such as partnerapp."
    )


def _encoded(part: str) -> str:
    return quote(part, safe="")
