"""Payment intents for the backend of a partner: signed calls, session tokens, the checkout URL and
webhooks. README.md has a first payment.
"""

from .checkout import checkout_url
from .client import Client
from .errors import (
    ApiConnectionError,
    ApiError,
    ApiErrorCode,
    ConnectionFailure,
    PaymentIntentsError,
    WebhookRefusal,
    WebhookVerificationError,
)
from .http_exchange import HttpAnswer, HttpRequest
from .intent import Corridor, Intent, IntentStatus
from .published_keys import PublicKey, key_set
from .session_token import KycAttestation, SanctionsAttestation, mint_session_token
from .signing import canonical_request
from .testing import TestWebhook, generate_test_webhook
from .webhooks import (
    LocalAmount,
    PaymentIntentEvent,
    Payout,
    UnknownEvent,
    WebhookEvent,
    WebhookEventType,
    verify_webhook,
)

__all__ = [
    "ApiConnectionError",
    "ApiError",
    "ApiErrorCode",
    "Client",
    "ConnectionFailure",
    "Corridor",
    "HttpAnswer",
    "HttpRequest",
    "Intent",
    "IntentStatus",
    "KycAttestation",
    "LocalAmount",
    "PaymentIntentEvent",
    "PaymentIntentsError",
    "Payout",
    "PublicKey",
    "SanctionsAttestation",
    "TestWebhook",
    "UnknownEvent",
    "WebhookEvent",
    "WebhookEventType",
    "WebhookRefusal",
    "WebhookVerificationError",
    "canonical_request",
    "checkout_url",
    "generate_test_webhook",
    "key_set",
    "mint_session_token",
    "verify_webhook",
]
