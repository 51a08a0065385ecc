// The mistakes of the guide's table, each made as a partner's program makes it.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createClient } from '../../src/sdk';
import { systemNow } from '../../src/sdk/clock';
import { mint, signAgain, type Claims } from '../../src/sdk/conformance/tokens';
import type { Workplace } from './workplace';

export interface Mistaken {
  readonly status: number;
  readonly program: 'payctl' | 'conformance';
  /** Arguments for the program to explain it. */
  readonly explain: readonly string[];
  /** Settings for that command. */
  readonly settings: Readonly<Record<string, string>>;
}

type Make = (place: Workplace) => Promise<Mistaken>;

interface Signed {
  readonly method: string;
  /** As on the request line. */
  readonly target: string;
  readonly path: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly keyId: string;
  readonly key: string | Buffer;
  readonly body: string;
  /** The text that is hashed instead of the body. */
  readonly hashed: string;
}

const INTENTS = '/v1/payment_intents';
const BODY = '{"partner_user_id": "u", "amount_usd_cents": 100, "corridor": "th_qrpay"}';
const ONE_NONCE = randomBytes(32).toString('hex');

/** By the first cell of each row; the webhook's row has a check of its own. */
export const MISTAKES: Readonly<Record<string, readonly Make[]>> = {
  'clock off by more than five minutes': [whyOf(() => ({ timestamp: tenMinutesAgo() }))],
  "another key's secret": [signOf(() => ({ key: 'the secret of another key' }))],
  'secret decoded from base64 or hex': [
    signOf(({ key }) => ({ key: Buffer.from(String(key), 'base64') })),
    signOf(({ key }) => ({ key: Buffer.from(String(key), 'hex') })),
  ],
  'query string or host signed': [
    signOf(({ path }) => ({ target: `${path}?a=1`, path: `${path}?a=1` })),
    async (place) => {
      const url = `${place.settings['BASE_URL'] ?? ''}${INTENTS}/pi_0`;
      return signOf(() => ({ target: url, path: url }))(place);
    },
  ],
  'body serialized again': [
    signOf(() => ({
      ...{ method: 'POST', target: INTENTS, path: INTENTS, body: BODY },
      hashed: JSON.stringify(JSON.parse(BODY)),
    })),
  ],
  'nonce repeated': [
    async (place) => {
      await whyOf(() => ({ nonce: ONE_NONCE }))(place);
      return whyOf(() => ({ nonce: ONE_NONCE }))(place);
    },
  ],
  'unknown key id': [whyOf(() => ({ keyId: 'acme_prod_2026q1' }))],
  'expired token': [tokenWith({ iat: secondsAgo(800), exp: secondsAgo(200) })],
  'wrong `aud` or `iss`': [
    tokenWith({ aud: 'https://pay.example' }),
    tokenWith({ iss: 'https://acme.example' }),
  ],
};

function tenMinutesAgo(): string {
  return new Date(systemNow().getTime() - 600_000).toISOString();
}

function secondsAgo(seconds: number): number {
  return Math.floor(systemNow().getTime() / 1_000) - seconds;
}

/** Explained by `explain-signature` of the conformance program. */
function signOf(change: (right: Signed) => Partial<Signed>): Make {
  return async (place) => {
    const { status, sent, signature } = await send(place, change);
    const { method, target, timestamp, nonce, body } = sent;
    const made = ['--timestamp', timestamp, '--nonce', nonce, '--signature', signature];
    const ofBody = body === '' ? [] : ['--body', body];
    return {
      status,
      program: 'conformance',
      explain: ['explain-signature', method, target, ...made, ...ofBody],
      settings: {},
    };
  };
}

/** Explained by `payctl requests why`. */
function whyOf(change: (right: Signed) => Partial<Signed>): Make {
  return async (place) => {
    const { status, requestId } = await send(place, change);
    return { status, program: 'payctl', explain: ['requests', 'why', requestId], settings: {} };
  };
}

async function send({ settings }: Workplace, change: (right: Signed) => Partial<Signed>) {
  const { BASE_URL = '', KEY_ID = '', SIGNING_SECRET = '' } = settings;
  const right: Signed = {
    ...{ method: 'GET', target: `${INTENTS}/pi_0`, path: `${INTENTS}/pi_0`, body: '', hashed: '' },
    ...{ keyId: KEY_ID, key: SIGNING_SECRET, nonce: randomBytes(32).toString('hex') },
    timestamp: systemNow().toISOString(),
  };
  const sent = { ...right, ...change(right) };
  const { method, path, timestamp, nonce, hashed, body } = sent;
  const digest = hashed === '' ? '' : createHash('sha256').update(hashed).digest('hex');
  const canonical = [method, path, timestamp, nonce, digest].join('\n');
  const signature = createHmac('sha256', sent.key).update(canonical).digest('base64');
  const answer = await fetch(new URL(sent.target, BASE_URL), {
    method,
    headers: {
      'Content-Type': 'application/json',
      'X-Service-Key-Id': sent.keyId,
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
      'X-Service-Signature': signature,
    },
    body: body === '' ? null : body,
    signal: AbortSignal.timeout(10_000),
  });
  const requestId = answer.headers.get('x-request-id') ?? '';
  return { status: answer.status, requestId, sent, signature };
}

/** Explained by its `explain-token`. */
function tokenWith(claims: Claims): Make {
  return async ({ settings }) => {
    const setting = (name: string) => settings[name] ?? '';
    const baseUrl = setting('BASE_URL');
    const client = createClient({
      ...{ baseUrl, keyId: setting('KEY_ID'), signingSecret: setting('SIGNING_SECRET') },
    });
    const order = { partnerUserId: 'u', amountUsdCents: 100, corridor: 'th_qrpay' } as const;
    const { intentId } = await client.createIntent(order);
    const privateKeyPem = setting('SESSION_PRIVATE_KEY_PEM');
    const signer = { issuer: setting('ISSUER'), kid: setting('SESSION_KID'), privateKeyPem };
    const token = await signAgain(await mint(signer, order, intentId), signer, claims);
    const { status } = await fetch(`${baseUrl}${INTENTS}/${intentId}/confirm`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(10_000),
    });
    const explain = ['explain-token', intentId];
    return { status, program: 'conformance', explain, settings: { SESSION_TOKEN: token } };
  };
}
