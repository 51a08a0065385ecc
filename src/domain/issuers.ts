// The issuers that select a partner by its registered key-set address (protocol 4.4; decision 8).

const WELL_KNOWN = '/.well-known/jwks.json';

/** The `iss` to mint with: the key-set URL without its well-known suffix, or the URL itself. */
export function issuerOf(jwksUrl: string): string {
  return jwksUrl.endsWith(WELL_KNOWN) ? jwksUrl.slice(0, -WELL_KNOWN.length) : jwksUrl;
}

/** Every `iss` that selects the partner: exact texts, compared without normalising. */
export function acceptedIssuers(jwksUrl: string): readonly string[] {
  const issuer = issuerOf(jwksUrl);
  return issuer === jwksUrl ? [jwksUrl] : [jwksUrl, issuer, `${issuer}/`];
}
