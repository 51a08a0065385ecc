// Checks of session tokens (protocol 4). They only read, so they use no token up.
import { explainToken } from '../index';
import { issuerOf } from '../../domain/issuers';
import { makeUniqueText, systemNow } from '../clock';
import { parseIntent } from '../intent';
import type { Check, Finding } from './check';
import { INTENTS } from './environment';
import { describe, parsed, type Answer } from './exchange';
import { serviceFinding, type Subject } from './signing-checks';
import { mint, signAgain, withoutSigning, type Claims, type TokenSigner } from './tokens';

export function tokenChecks(subject: Subject, signer: TokenSigner): readonly Check[] {
  const { environment } = subject;
  const valid = () => mint(signer, environment, subject.intentId);
  const rejects = (name: string, tokenOf: (token: string) => Promise<string> | string): Check => ({
    name,
    async run() {
      const answer = await read(subject, await tokenOf(await valid()));
      return serviceFinding(answer, answer.status === 401);
    },
  });
  const rejectsClaims = (name: string, change: Claims) =>
    rejects(name, (token) => signAgain(token, signer, change));
  const now = Math.floor(systemNow().getTime() / 1_000);
  return [
    {
      name: 'A token by your key reads its intent.',
      async run() {
        const token = await valid();
        return acceptedFinding({ subject, signer, token }, await read(subject, token));
      },
    },
    rejectsClaims('A token that has expired is 401.', { iat: now - 700, exp: now - 100 }),
    rejectsClaims('A token of more than ten minutes is 401.', { exp: now + 900 }),
    rejectsClaims('A token for another audience is 401.', { aud: 'conformance' }),
    rejectsClaims('A token of an unknown issuer is 401.', { iss: 'https://conformance.invalid' }),
    rejectsClaims('A token of another amount is 401.', {
      'service:amount_usd_cents': environment.amountUsdCents + 1,
    }),
    rejectsClaims('A token without jti is 401.', { jti: undefined }),
    rejectsClaims('A token of an unverified user is 401.', {
      'service:kyc_attestation': { verified: false, method: 'conformance', verified_at: isoNow() },
    }),
    rejects('A token by an unknown kid is 401.', (token) =>
      signAgain(token, { ...signer, kid: `conformance-${makeUniqueText()}` }, {}),
    ),
    rejects('A token that was changed is 401.', (token) => withoutSigning(token, { sub: 'other' })),
    {
      name: 'A token beside a signature is 401.',
      async run() {
        const request = { method: 'GET', path: `${INTENTS}/${subject.intentId}` } as const;
        const answer = await read(subject, await valid(), environment.signatureOf(request));
        return serviceFinding(answer, answer.status === 401);
      },
    },
  ];
}

function isoNow(): string {
  return systemNow().toISOString();
}

function read(
  { environment, intentId }: Subject,
  token: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const request = { method: 'GET', path: `${INTENTS}/${intentId}` } as const;
  return environment.sendWith(request, { Authorization: `Bearer ${token}`, ...more });
}

interface Sent {
  readonly subject: Subject;
  readonly signer: TokenSigner;
  readonly token: string;
}

/** Names the check of the service that fails, with the key set as published. */
async function acceptedFinding(
  { subject: { environment, intentId }, signer, token }: Sent,
  answer: Answer,
): Promise<Finding> {
  const found = describe(answer);
  if (answer.status === 200) return { isRight: true, found, advice: '' };
  const jwksUrl = `${issuerOf(signer.issuer).replace(/\/$/, '')}/.well-known/jwks.json`;
  const keySet = parsed((await environment.send(jwksUrl, { method: 'GET', headers: {} })).text);
  const intent = parseIntent(parsed((await environment.get(intentId)).text));
  const { failed } = await explainToken({ token, jwksUrl, keySet, intent, purpose: 'read' });
  const advice =
    failed === null
      ? `The token and the key set at ${jwksUrl} are right: check that the operator has registered this address.`
      : `${failed.reason} at ${jwksUrl}: ${failed.claim}: expected ${failed.expected}; found ${failed.found}.`;
  return { isRight: false, found, advice };
}
