// Session tokens for the checks: valid ones by the SDK, and the same with changed claims.
import { mintSessionToken, type Intent } from '../index';
import { systemNow } from '../clock';
import type { Environment } from './environment';

export interface TokenSigner {
  readonly issuer: string;
  readonly kid: string;
  readonly privateKeyPem: string;
}

export type Claims = Readonly<Record<string, unknown>>;

export function mint(
  signer: TokenSigner,
  { amountUsdCents, corridor }: Pick<Environment, 'amountUsdCents' | 'corridor'>,
  intentId: Intent['intentId'],
): Promise<string> {
  const checkedAt = systemNow();
  return mintSessionToken({
    ...signer,
    subject: 'conformance',
    intent: { intentId, amountUsdCents, corridor },
    kycAttestation: { verified: true, method: 'conformance', verifiedAt: checkedAt },
    sanctionsAttestation: { clean: true, screenedAt: checkedAt },
  });
}

/** Signs the claims of a token again, some of them replaced or, with undefined, left out. */
export async function signAgain(
  token: string,
  { privateKeyPem, kid }: Pick<TokenSigner, 'privateKeyPem' | 'kid'>,
  change: Claims,
): Promise<string> {
  const { importPKCS8, SignJWT } = await import('jose');
  return new SignJWT({ ...claimsOf(token), ...change })
    .setProtectedHeader({ alg: 'RS256', kid })
    .sign(await importPKCS8(privateKeyPem, 'RS256'));
}

/** The token with another claim, and its first signature. */
export function withoutSigning(token: string, change: Claims): string {
  const [head, , signature] = token.split('.');
  const claims = JSON.stringify({ ...claimsOf(token), ...change });
  return [head, Buffer.from(claims).toString('base64url'), signature].join('.');
}

function claimsOf(token: string): Claims {
  const [, claims = ''] = token.split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Claims;
}
