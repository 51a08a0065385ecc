"""Hooks that schemathesis.toml loads: credentials, payment codes and our own checks."""

import schemathesis
from checks import is_known_rejection, register_checks
from credentials import UNKNOWN_INTENT, forged_credentials, good_credentials
from hypothesis import strategies
from world import read_world

WORLD = read_world()

if WORLD.credentials == "good":
    schemathesis.auth.set_from_requests(good_credentials(WORLD))
if WORLD.credentials == "forged":
    schemathesis.auth.set_from_requests(forged_credentials(WORLD))

register_checks(WORLD)

# No pattern generates payment codes with a right check value, so these are published codes.
ALL_CODES = [code for codes in WORLD.codes.values() for code in codes]
schemathesis.openapi.format("emvco-qr", strategies.sampled_from(ALL_CODES))


@schemathesis.hook
def before_call(context, case, kwargs):
    """Gives a valid case a real code of its intent's corridor, which no schema can express."""
    is_valid = case.meta is not None and case.meta.generation.mode.is_positive
    if not is_valid or not isinstance(case.body, dict) or "qr_payload" not in case.body:
        return
    intent = WORLD.intents.get(str((case.path_parameters or {}).get("intent_id")), UNKNOWN_INTENT)
    codes = WORLD.codes[str(intent["corridor"])]
    if case.body["qr_payload"] not in codes:
        case.body = {**case.body, "qr_payload": codes[0]}


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code != 201:
        return
    intent = response.json()
    WORLD.intents[intent["intent_id"]] = intent
    sent = response.request
    key = sent.headers.get("Idempotency-Key")
    if key is not None:
        WORLD.keys.setdefault(key, sent.body if isinstance(sent.body, bytes) else sent.body.encode())


@schemathesis.hook
def filter_failure(context, failure, case, response):
    return not is_known_rejection(WORLD, failure, case, response)
