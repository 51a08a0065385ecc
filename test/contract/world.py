"""The state of a run: its partners, and the intents and idempotency keys that it has created."""

import json
import os
from dataclasses import dataclass, field

Partner = dict[str, str]
Intent = dict[str, object]


@dataclass
class World:
    """`credentials` of every request are `good`, `none` or `forged`."""

    credentials: str
    partner: Partner
    other_partner: Partner
    # Published payment codes that this service accepts, by corridor.
    codes: dict[str, list[str]]
    # The answers of create, by intent_id.
    intents: dict[str, Intent] = field(default_factory=dict)
    # The first accepted body of each idempotency key.
    keys: dict[str, bytes] = field(default_factory=dict)
    request_ids: set[str] = field(default_factory=set)


def read_world() -> World:
    partner, other_partner = _read(os.environ["CONTRACT_SANDBOX_FILE"])["partners"]
    codes: dict[str, list[str]] = {}
    for code in _read(os.environ["CONTRACT_CODES_FILE"])["accepted"]:
        codes.setdefault(code["corridor"], []).append(code["payload"])
    return World(os.environ["CONTRACT_CREDENTIALS"], partner, other_partner, codes)


def _read(path: str):
    with open(path, encoding="utf-8") as file:
        return json.load(file)
