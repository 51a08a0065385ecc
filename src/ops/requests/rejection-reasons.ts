// Every reason for which the API rejects credentials (protocol 3.4 and 4.7) or takes a request for
// no route: what it means, and what to do. A test compares these lists with the API's.

export interface Explanation {
  readonly means: string;
  readonly advice: string;
}

const ONE_KIND: Explanation = {
  means: 'It carried both a signature and a bearer token.',
  advice: 'Send one kind of credentials: a partner backend signs, a checkout sends its token.',
};
const NO_KIND: Explanation = {
  means: 'It carried neither a signature nor a bearer token.',
  advice: `${ONE_KIND.advice} Look for a proxy that drops headers.`,
};

export const SIGNATURE_REJECTIONS = {
  no_credentials: NO_KIND,
  wrong_kind_of_credentials: {
    means: 'A signature is needed, and it carried a bearer token.',
    advice: 'Create and cancel are signed by the partner backend: send the four signing headers.',
  },
  both_kinds_of_credentials: ONE_KIND,
  header_missing_or_repeated: {
    means: 'One of the four signing headers was missing or repeated.',
    advice:
      'Send each of X-Service-Key-Id, X-Service-Timestamp, X-Service-Nonce and X-Service-Signature once. Look for a proxy that drops or repeats headers.',
  },
  source_address_not_registered: {
    means: "Step 1: it came from an address that is not on the partner's list.",
    advice:
      'Compare the address that was seen with the list in "payctl partners show PARTNER"; "payctl partners set PARTNER --allow" replaces the list, and who did so last is shown there too. If it is that of a proxy of ours, or none could be read, check TRUSTED_PROXY_HOPS and what the proxy writes.',
  },
  key_unknown: {
    means: 'Step 2: no key of this environment has that id.',
    advice:
      'Compare it with "payctl keys list PARTNER". A key of the sandbox is unknown in prod, and the other way round. An id that does not have our format is not logged.',
  },
  key_revoked: {
    means: 'Step 2: the key was revoked, by hand or 14 days after the next one was issued.',
    advice:
      '"payctl keys list PARTNER" shows since when, and which key is active; "payctl keys issue PARTNER" makes another.',
  },
  key_withdrawn: {
    means: 'Step 2: the key was revoked within the last minute.',
    advice:
      '"payctl keys list PARTNER" shows since when, and which key is active; "payctl keys issue PARTNER" makes another.',
  },
  address_withdrawn: {
    means: "Step 1: the address was taken off the partner's list within the last minute.",
    advice:
      '"payctl partners show PARTNER" shows the list, and who changed it last; "payctl partners set PARTNER --allow" replaces it.',
  },
  secret_not_opened: {
    means:
      'Step 2: the stored secret opens under no key-encryption key of that API. It is our fault.',
    advice:
      'Start the API with the KEY_ENCRYPTION_KEY that the secret was sealed under, or with it as KEY_ENCRYPTION_KEY_SECOND: "payctl keys reseal --help".',
  },
  timestamp_not_within_5_minutes: {
    means:
      'Step 3: the timestamp is not an RFC 3339 time in UTC, or is more than five minutes off.',
    advice:
      "Compare the partner's clock with the Date header of any response. A request that waited in a queue must be signed again before it is sent.",
  },
  nonce_malformed: {
    means: 'Step 4: the nonce is not 64 hexadecimal characters in lower case.',
    advice: 'Use 32 random bytes in lower-case hex, new for each request.',
  },
  nonce_seen: {
    means: 'Step 4: the nonce was used within the last ten minutes.',
    advice:
      'Each request needs a new nonce, and so does a repeat: repeat with the same Idempotency-Key, a new nonce and a new signature.',
  },
  signature_wrong: {
    means: 'Step 5: the signature is not that of this request under this key.',
    advice:
      'Compare the five lines that were signed: method, path without query, timestamp, nonce, and the lower-case hex SHA-256 of the body as it was sent (an empty line without a body). The key is the UTF-8 bytes of the secret text. test/vectors has examples.',
  },
} as const satisfies Readonly<Record<string, Explanation>>;

const MINT_AS_CREATED =
  'Mint a new token with the amount and corridor that the intent was created with.';

export const TOKEN_REJECTIONS = {
  no_credentials: NO_KIND,
  wrong_kind_of_credentials: {
    means: 'A session token is needed, and it carried signing headers.',
    advice: 'Confirm is sent by the checkout: send "Authorization: Bearer TOKEN" alone.',
  },
  both_kinds_of_credentials: ONE_KIND,
  bearer_missing_or_malformed: {
    means: 'The Authorization header was malformed, or there was more than one.',
    advice: 'Send the token once, after "Bearer " and nothing else.',
  },
  token_malformed: {
    means: 'Step 1: it is not a JWT of three segments with all required claims of the right type.',
    advice:
      'Check that every claim is present: aud is one text, times are whole seconds, the attestations are complete.',
  },
  issuer_unknown: {
    means: 'Step 2: no partner of this environment has registered that iss.',
    advice:
      'iss is compared character for character with the registered key-set address, or with that address without /.well-known/jwks.json: "payctl partners show PARTNER".',
  },
  key_set_not_fetched: {
    means: "Step 2: the partner's key set could not be fetched, or has no usable key.",
    advice:
      'That was at the time of the request: the failure says why, even if the key set is there again. The partner serves it over https, without redirect, within 5 seconds.',
  },
  kid_unknown: {
    means: "Step 2: the partner's key set has no key of that kid that may sign (RS256, use sig).",
    advice: 'Fetch the key set and look for the kid.',
  },
  signature_wrong: {
    means: 'Step 3: the token is not signed by the key that its kid names.',
    advice:
      'The key set publishes another key under that kid, or the token was changed on its way. A new key needs a new kid.',
  },
  aud_wrong: {
    means: 'Step 4: aud is not service-checkout.',
    advice: 'Mint with aud service-checkout, as one text and not a list.',
  },
  issuer_of_another_partner: {
    means: 'Step 5: the intent does not belong to the partner who signed the token.',
    advice: 'Mint with the credentials of the partner who created the intent.',
  },
  not_valid_now: {
    means:
      'Step 6: exp has passed, nbf is more than 5 seconds ahead, or iat is more than 15 minutes ago or 5 minutes ahead.',
    advice: 'Mint the token when the checkout is opened, by a clock that is right.',
  },
  exp_not_after_iat: {
    means: 'Step 7: exp is not after iat.',
    advice: 'Mint with exp 1 to 600 seconds after iat. Both are in seconds.',
  },
  lifetime_over_600_s: {
    means: 'Step 7: exp is more than 600 seconds after iat.',
    advice: 'Mint with exp at most iat + 600.',
  },
  jti_used: {
    means: 'Step 8: a token with that jti has already confirmed an intent.',
    advice: 'Mint a new token with a new jti: a token confirms once.',
  },
  jti_not_used: {
    means:
      'Status after confirm: the token has not confirmed this intent, or it expired 15 minutes ago.',
    advice:
      "The status page needs the token that confirmed; every other reader uses the partner's GET.",
  },
  state_not_open: {
    means: 'Step 9: there is no such intent, or it is neither created nor authorized.',
    advice: '"payctl intents show ID" shows its status.',
  },
  amount_differs: {
    means: 'Step 10: the amount in the token is not that of the intent.',
    advice: MINT_AS_CREATED,
  },
  corridor_differs: {
    means: 'Step 11: the corridor in the token is not that of the intent.',
    advice: MINT_AS_CREATED,
  },
  attestation_not_accepted: {
    means:
      'An attestation is not verified or not clean, is from the future, or is older than the partner may use.',
    advice: '"payctl partners show PARTNER" shows how old the attestations may be.',
  },
  bound_to_another_intent: {
    means: 'The token is for another intent than the one in the path.',
    advice: 'Each intent needs its own token.',
  },
} as const satisfies Readonly<Record<string, Explanation>>;

export const ROUTE_REJECTIONS = {
  path_has_v1_twice: {
    means: 'Its path has /v1 twice.',
    advice: 'The path begins with /v1, so the base URL is given without it: leave it out there.',
  },
  path_ends_with_slash: {
    means: 'Its path ends with a slash, which no path of the API does.',
    advice: 'Send the path without the slash, and sign it as it is sent.',
  },
  method_not_allowed: {
    means: 'Its path exists, but not with this method.',
    advice: 'Create, confirm and cancel are POST, every read is GET. Sign the method that is sent.',
  },
  path_unknown: {
    means: 'Its path is none of the API.',
    advice:
      'Compare it with those of section 5 of docs/protocol.md: the log never has a path as sent. Look for a proxy that rewrites paths.',
  },
} as const satisfies Readonly<Record<string, Explanation>>;

const KNOWN: Readonly<Record<string, Readonly<Record<string, Explanation>>>> = {
  session_token: TOKEN_REJECTIONS,
  signed_request: SIGNATURE_REJECTIONS,
  none: ROUTE_REJECTIONS,
};

/** Undefined for other rejections, whose response already says everything, and without one. */
export function explanationOf(
  credentials: string | null,
  reason: string | null,
): Explanation | undefined {
  const known = KNOWN[credentials ?? 'none'] ?? {};
  return reason !== null && Object.hasOwn(known, reason) ? known[reason] : undefined;
}
