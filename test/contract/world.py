"""What a run knows: who it is, and which intents and idempotency keys it has made. run.ts says where to read it."""

import json
import os
from dataclasses import dataclass, field

Partner = dict[str, str]
Intent = dict[str, object]


@dataclass
class World:
    """`credentials` is what every request brings: `good` ones, `none`, or `forged` ones."""

    credentials: str
    partner: Partner
    other_partner: Partner
    # Published payment codes that this service takes, by corridor.
    codes: dict[str, list[str]]
    # By intent_id, as create has answered them.
    intents: dict[str, Intent] = field(default_factory=dict)
    # The body with which each idempotency key was first taken.
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
