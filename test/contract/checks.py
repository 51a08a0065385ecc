"""Checks of api/openapi.yaml beyond status, headers and schema. Schemathesis runs them after its own.

A check is a function of schemathesis' context, the response and the case.
"""

import json

import requests
import schemathesis
from credentials import Signature
from schemathesis.core.failures import Failure
from world import World

TIMEOUT_SECONDS = 15


def register_checks(world: World) -> None:
    """Registers the checks. A check fails by raising AssertionError."""

    @schemathesis.check
    def undocumented_method_is_404(ctx, response, case):
        if is_undocumented_method(case):
            expect(response, 404)

    @schemathesis.check
    def body_is_narrowed_as_documented(ctx, response, case):
        for name, schema in narrowed_members(case, response).items():
            value = body_of(response).get(name)
            allowed = schema.get("enum", [schema.get("const")])
            assert value in allowed, f"{name} is {value!r} with {response.status_code}, not one of {allowed}"

    @schemathesis.check
    def each_request_has_an_id_of_its_own(ctx, response, case):
        request_ids = response.headers.get("x-request-id", [])
        assert len(request_ids) == 1, f"{len(request_ids)} request ids"
        is_new = world.request_ids.isdisjoint(request_ids)
        assert is_new, f"an earlier request has the same id {request_ids[0]}"
        world.request_ids.update(request_ids)

    @schemathesis.check
    def wrong_credentials_learn_nothing(ctx, response, case):
        if world.credentials != "good" and not is_undocumented_method(case):
            expect(response, 401)

    @schemathesis.check
    def other_partner_is_403(ctx, response, case):
        sent = response.request
        is_own = response.status_code == 200 and "X-Service-Signature" in sent.headers
        if is_own and case.operation.definition.raw["operationId"] in ("getPaymentIntent", "cancelPaymentIntent"):
            other = world.other_partner
            signature = Signature(other["key_id"], other["signing_secret"])
            answer = requests.request(sent.method, sent.url, auth=signature, timeout=TIMEOUT_SECONDS)
            expect(answer, 403)


def expect(response, status: int) -> None:
    """Checks status and error code. Schemathesis itself checks the rest against the schema."""
    codes = {401: "authentication_failed", 403: "authorization_failed", 404: "not_found"}
    seen = (response.status_code, body_of(response).get("error"))
    assert seen == (status, codes[status]), f"Expected {status} {codes[status]}, got {seen[0]} {seen[1]}"


def body_of(response) -> dict:
    try:
        body = json.loads(response.content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def is_undocumented_method(case) -> bool:
    return case.method.upper() != case.operation.method.upper()


def narrowed_members(case, response) -> dict:
    """Returns the members of `x-narrowed-to` beside the schema of this response."""
    if is_undocumented_method(case):
        return {}
    schema = case.operation.schema.raw_schema
    documented = case.operation.definition.raw["responses"].get(str(response.status_code), {})
    while "$ref" in documented:
        target = schema
        for part in documented["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        documented = target
    media = documented.get("content", {}).get("application/json", {})
    return media.get("x-narrowed-to", {}).get("properties", {})


def is_known_rejection(world: World, failure: Failure, case, response) -> bool:
    """A valid request gets 400 only when an earlier one used its key with another body."""
    sent = response.request
    first_body = world.keys.get(sent.headers.get("Idempotency-Key", ""))
    body = sent.body.encode() if isinstance(sent.body, str) else sent.body
    is_400 = response.status_code == 400 and "used with another body" in response.text
    return is_400 and first_body is not None and first_body != body
