// Decision 18: our signatures and verification compared with the `standardwebhooks` package, in
// both directions and for everything that a sender, a proxy or an attacker may vary.
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../../../src/sdk';
import { signWebhook, webhookSignatureHeader } from '../../../src/signing/webhook-signature';

const NOW_SECONDS = 1_736_937_003;
const now = () => new Date(NOW_SECONDS * 1_000);

beforeEach(() => {
  // The package reads the system clock.
  jest.useFakeTimers({ now: now() });
});
afterEach(() => {
  jest.useRealTimers();
});

const aSecret = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((key) => `whsec_${Buffer.from(key).toString('base64')}`);
const aText = fc.string({ unit: 'binary', maxLength: 40 });
/** An event of any type, with any members and data. */
const aBody = fc
  .record({ type: aText, data: fc.jsonValue(), more: fc.dictionary(aText, fc.jsonValue()) })
  .filter(({ type }) => !type.startsWith('payment_intent.'))
  .map(({ type, data, more }) =>
    JSON.stringify({ ...more, type, timestamp: '2025-01-15T10:30:02Z', data }),
  );
const anId = fc.stringMatching(/^[\w.-]{1,40}$/);

const headersOf = (id: string, seconds: number, signature: string) => ({
  'webhook-id': id,
  'webhook-timestamp': String(seconds),
  'webhook-signature': signature,
});

function verdictOf(verify: () => unknown): string {
  try {
    verify();
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    return error instanceof Error ? error.message : 'thrown';
  }
  return 'accepted';
}

describe('in both directions', () => {
  it('the package verifies our signatures, and reads the same event', () => {
    fc.assert(
      fc.property(aSecret, aSecret, anId, aBody, (secret, other, id, body) => {
        const message = { id, timestamp: String(NOW_SECONDS), body };
        const signature = webhookSignatureHeader(message, [other, secret]);
        const headers = headersOf(id, NOW_SECONDS, signature);
        const text: unknown = new Webhook(secret).verify(body, headers);
        const bytes: unknown = new Webhook(other).verify(Buffer.from(body), headers);
        expect([text, bytes]).toEqual([JSON.parse(body), JSON.parse(body)]);
      }),
    );
  });

  it('we verify signatures of the package, as text and as bytes, and read the same event', () => {
    fc.assert(
      fc.property(aSecret, anId, aBody, (secret, id, body) => {
        const headers = headersOf(id, NOW_SECONDS, new Webhook(secret).sign(id, now(), body));
        const { type, data } = JSON.parse(body) as {
          readonly type: string;
          readonly data: unknown;
        };
        const event = { id, type, data, timestamp: new Date('2025-01-15T10:30:02Z') };
        const forms = [body, Buffer.from(body), new Uint8Array(Buffer.from(body))];
        const read = forms.map((form) => verifyWebhook(form, headers, [secret], { now }));
        expect(read).toEqual([event, event, event]);
      }),
    );
  });
});

describe('we and the package decide the same', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
  const body = '{"type":"a","timestamp":"2025-01-15T10:30:02Z","data":null}';
  const message = { id: 'evt_1', timestamp: String(NOW_SECONDS), body };
  const ours = signWebhook(message, secret);
  /** Entries of the signature list, valid and invalid. */
  const ENTRIES = [
    ours,
    signWebhook(message, other),
    signWebhook({ ...message, id: 'evt_2' }, secret),
    signWebhook({ ...message, timestamp: String(NOW_SECONDS + 1) }, secret),
    signWebhook({ ...message, body: `${body} ` }, secret),
    ours.replace('v1,', 'v1a,'),
    ours.replace('v1,', 'v2,'),
    ours.replace('v1,', 'V1,'),
    ours.slice(3),
    ours.slice(0, -1),
    ours.replace(/=$/, ''),
    'v1a,b3RoZXI=',
    'v1,',
    'v1,nonsense',
  ];

  it('for every list of signatures', () => {
    fc.assert(
      fc.property(fc.subarray(ENTRIES, { minLength: 1 }).chain(shuffled), (entries) => {
        const headers = headersOf('evt_1', NOW_SECONDS, entries.join(' '));
        const verdict = verdictOf(() => verifyWebhook(body, headers, [secret], { now }));
        const oracle = verdictOf(() => new Webhook(secret).verify(body, headers));
        expect([verdict, oracle]).toEqual(
          entries.includes(ours)
            ? ['accepted', 'accepted']
            : ['no_matching_signature', 'No matching signature found'],
        );
      }),
    );
  });

  it('for every list and a partner with two secrets: accepted if either secret fits', () => {
    fc.assert(
      fc.property(fc.subarray(ENTRIES, { minLength: 1 }).chain(shuffled), (entries) => {
        const headers = headersOf('evt_1', NOW_SECONDS, entries.join(' '));
        const verdict = verdictOf(() => verifyWebhook(body, headers, [other, secret], { now }));
        const either = [other, secret].map((one) =>
          verdictOf(() => new Webhook(one).verify(body, headers)),
        );
        expect(verdict === 'accepted').toBe(either.includes('accepted'));
      }),
    );
  });

  it('for every time, past and future', () => {
    const aLag = fc.oneof(
      fc.integer({ min: -900, max: 900 }),
      fc.constantFrom(-301, -300, 300, 301),
    );
    fc.assert(
      fc.property(aLag, (lagSeconds) => {
        const seconds = NOW_SECONDS - lagSeconds;
        const signature = signWebhook({ ...message, timestamp: String(seconds) }, secret);
        const headers = headersOf('evt_1', seconds, signature);
        const verdict = verdictOf(() => verifyWebhook(body, headers, [secret], { now }));
        const oracle = verdictOf(() => new Webhook(secret).verify(body, headers));
        expect([verdict, oracle]).toEqual(verdictsAt(lagSeconds));
      }),
      { numRuns: 500 },
    );
  });
});

function shuffled(entries: readonly string[]) {
  return fc.shuffledSubarray([...entries], { minLength: entries.length });
}

function verdictsAt(lagSeconds: number): readonly string[] {
  if (lagSeconds > 300) return ['timestamp_too_old', 'Message timestamp too old'];
  if (lagSeconds < -300) return ['timestamp_too_new', 'Message timestamp too new'];
  return ['accepted', 'accepted'];
}
