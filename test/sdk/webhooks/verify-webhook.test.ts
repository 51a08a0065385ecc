// Decision 18: verifying Standard Webhooks with the SDK. webhook-oracle.test.ts compares it with
// another library.
import { verifyWebhook, WebhookVerificationError, type WebhookHeaders } from '../../../src/sdk';
import { webhookSignatureHeader } from '../../../src/signing/webhook-signature';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const SENT_SECONDS = 1_736_937_003;
const PAYOUT = { reference: 'SB-1', local: { currency: 'THB', amount: 43125 }, code: null };
const EVENT = {
  type: 'payment_intent.captured',
  timestamp: '2025-01-15T10:30:02Z',
  data: {
    intent_id: 'pi_1',
    status: 'captured',
    amount_usd_cents: 1250,
    corridor: 'th_qrpay',
    created_at: '2025-01-15T10:30:00Z',
    captured_at: '2025-01-15T10:30:02Z',
  },
  payout: PAYOUT,
};
const BODY = JSON.stringify(EVENT);

const at = (seconds: number) => ({ now: () => new Date(seconds * 1_000) });
const ON_TIME = at(SENT_SECONDS);

function headersFor(body: string, secrets: readonly string[] = [SECRET]) {
  const timestamp = String(SENT_SECONDS);
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': webhookSignatureHeader({ id: 'evt_1', timestamp, body }, secrets),
  };
}

function rejectionOf(verify: () => unknown): unknown {
  try {
    verify();
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.reason : error;
  }
  return 'accepted';
}

describe('verifyWebhook', () => {
  it('returns the event in camelCase, with its id', () => {
    expect(verifyWebhook(BODY, headersFor(BODY), [SECRET], ON_TIME)).toEqual({
      id: 'evt_1',
      type: 'payment_intent.captured',
      timestamp: new Date('2025-01-15T10:30:02Z'),
      data: {
        intentId: 'pi_1',
        status: 'captured',
        amountUsdCents: 1250,
        corridor: 'th_qrpay',
        createdAt: new Date('2025-01-15T10:30:00Z'),
        capturedAt: new Date('2025-01-15T10:30:02Z'),
      },
      payout: PAYOUT,
    });
  });

  it('returns a payout of which nothing was known', () => {
    const payout = { reference: null, local: null, code: null };
    const body = JSON.stringify({ ...EVENT, payout });
    expect(verifyWebhook(body, headersFor(body), [SECRET], ON_TIME)).toMatchObject({ payout });
  });

  it('accepts the body as bytes, and headers as a Headers object or in any case', () => {
    const headers = headersFor(BODY);
    const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
    const forms: WebhookHeaders[] = [
      new Headers(headers),
      Object.fromEntries(upper) as WebhookHeaders,
    ];
    const ids = forms.map((form) => verifyWebhook(Buffer.from(BODY), form, [SECRET], ON_TIME).id);
    expect(ids).toEqual(['evt_1', 'evt_1']);
  });

  it.each([
    ['old secret', [SECRET]],
    ['new secret', [OTHER_SECRET]],
    ['both secrets', [OTHER_SECRET, SECRET]],
  ])('accepts two signatures for a partner who has the %s', (_, secrets) => {
    const headers = headersFor(BODY, [SECRET, OTHER_SECRET]);
    expect(verifyWebhook(BODY, headers, secrets, ON_TIME).id).toBe('evt_1');
  });

  it.each([
    [-301, 'timestamp_too_new'],
    [-300, 'accepted'],
    [300, 'accepted'],
    [301, 'timestamp_too_old'],
  ])('received %d s after it was sent is: %s', (lateSeconds, expected) => {
    const options = at(SENT_SECONDS + lateSeconds);
    const verify = () => verifyWebhook(BODY, headersFor(BODY), [SECRET], options);
    expect(rejectionOf(verify)).toBe(expected);
  });

  it.each([
    ['lists of one value', (value: string) => [value]],
    ['lists with an empty value', (value: string) => ['', value]],
  ])('accepts headers as %s', (_, form) => {
    const headers = Object.entries(headersFor(BODY)).map(([name, value]) => [name, form(value)]);
    const given = Object.fromEntries(headers) as WebhookHeaders;
    expect(verifyWebhook(BODY, given, [SECRET], ON_TIME).id).toBe('evt_1');
  });

  it('accepts headers as any object with the get of Headers', () => {
    const headers: Readonly<Record<string, string>> = headersFor(BODY);
    const given = { get: (name: string) => headers[name] ?? null };
    expect(verifyWebhook(BODY, given, [SECRET], ON_TIME).id).toBe('evt_1');
  });

  it.each<[string, (signatures: readonly string[]) => string | readonly string[]]>([
    ['in separate headers', (signatures) => signatures],
    ['in headers that a proxy joined', (signatures) => signatures.join(', ')],
    ['in one header', (signatures) => signatures.join(' ')],
  ])('finds the signature among others, %s', (_, form) => {
    const list = headersFor(BODY, [OTHER_SECRET, SECRET])['webhook-signature'].split(' ');
    const found = [list, list.toReversed()].map((signatures) => {
      const headers = { ...headersFor(BODY), 'webhook-signature': form(signatures) };
      return verifyWebhook(BODY, headers, [SECRET], ON_TIME).id;
    });
    expect(found).toEqual(['evt_1', 'evt_1']);
  });

  it.each(['webhook-id', 'webhook-timestamp'] as const)('rejects two values of %s', (name) => {
    const headers = headersFor(BODY);
    const twice = [
      { ...headers, [name]: [headers[name], headers[name]] },
      { ...headers, [name.toUpperCase()]: headers[name] },
    ];
    const rejections = twice.map((given) =>
      rejectionOf(() => verifyWebhook(BODY, given, [SECRET], ON_TIME)),
    );
    expect(rejections).toEqual(['repeated_header', 'repeated_header']);
  });

  it('accepts only the header names of Standard Webhooks', () => {
    const headers = Object.entries(headersFor(BODY)).map(([name, value]) => [
      name.replace('webhook-', 'svix-'),
      value,
    ]);
    const given = Object.fromEntries(headers) as WebhookHeaders;
    const verify = () => verifyWebhook(BODY, given, [SECRET], ON_TIME);
    expect(rejectionOf(verify)).toBe('missing_header');
  });

  it.each([Number.NaN, -1])(
    'throws for a tolerance of %d instead of accepting every time',
    (seconds) => {
      const options = { ...at(0), toleranceSeconds: seconds };
      const verify = () => verifyWebhook(BODY, headersFor(BODY), [SECRET], options);
      expect(verify).toThrow(new RangeError('toleranceSeconds is not 0 or more seconds'));
    },
  );

  it('rejects every time when the clock is invalid', () => {
    const verify = () => verifyWebhook(BODY, headersFor(BODY), [SECRET], at(Number.NaN));
    expect(rejectionOf(verify)).toBe('timestamp_too_old');
  });

  it('uses toleranceSeconds', () => {
    const options = { ...at(SENT_SECONDS + 11), toleranceSeconds: 10 };
    const verify = () => verifyWebhook(BODY, headersFor(BODY), [SECRET], options);
    expect(rejectionOf(verify)).toBe('timestamp_too_old');
  });

  it.each(['', '17369370O3', '1736937003.5', '-1', '1e9', ' 1736937003'])(
    'rejects the timestamp %j',
    (timestamp) => {
      const headers = { ...headersFor(BODY), 'webhook-timestamp': timestamp };
      const verify = () => verifyWebhook(BODY, headers, [SECRET], ON_TIME);
      expect(rejectionOf(verify)).toBe(timestamp === '' ? 'missing_header' : 'malformed_timestamp');
    },
  );

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'rejects a webhook without %s',
    (name) => {
      const headers = { ...headersFor(BODY), [name]: undefined };
      expect(rejectionOf(() => verifyWebhook(BODY, headers, [SECRET], ON_TIME))).toBe(
        'missing_header',
      );
    },
  );

  it('throws for an empty list of secrets, as of unset variables, and calls no webhook forged', () => {
    const verify = () => verifyWebhook(BODY, headersFor(BODY), [], ON_TIME);
    expect(verify).toThrow(new TypeError('secrets is empty: is the variable of the secret set?'));
  });

  it('accepts members that a later revision adds', () => {
    const { data, ...head } = JSON.parse(BODY) as { readonly data: object };
    const body = JSON.stringify({
      ...head,
      data: { ...data, merchant: { name: 'x' } },
      livemode: true,
    });
    const event = verifyWebhook(body, headersFor(body), [SECRET], ON_TIME);
    expect(event).toEqual(verifyWebhook(BODY, headersFor(BODY), [SECRET], ON_TIME));
  });

  it.each<[unknown]>([[undefined], [null], ['text'], [{ intent_id: 'pi_1', status: 'disputed' }]])(
    'accepts types that a later revision adds, with the data %j as received',
    (data) => {
      const type = 'payment_intent.disputed';
      const body = JSON.stringify({ type, timestamp: '2025-01-15T10:30:02Z', data });
      const event = verifyWebhook(body, headersFor(body), [SECRET], ON_TIME);
      expect(event).toMatchObject({ id: 'evt_1', type, data });
      // Comparing the type narrows the event: the compiler knows the data only of known types.
      expect(event.type === 'payment_intent.captured' ? event.data.intentId : 'unknown').toBe(
        'unknown',
      );
    },
  );

  it.each([
    ...['', '[]', 'null', '{"type":1}', '{"type":"x"}', '{"type":"x","timestamp":"soon"}'],
    '{"type":"payment_intent.captured","timestamp":"2025-01-15T10:30:02Z"}',
    ...[
      { payout: undefined },
      { payout: {} },
      { payout: { ...PAYOUT, local: undefined } },
      { payout: { ...PAYOUT, local: { currency: 'THB', amount: '43125' } } },
      { payout: { ...PAYOUT, code: 5 } },
    ].map((change) => JSON.stringify({ ...EVENT, ...change })),
  ])('rejects the body %j, even with a valid signature', (body) => {
    const verify = () => verifyWebhook(body, headersFor(body), [SECRET], ON_TIME);
    expect(rejectionOf(verify)).toBe('unreadable_body');
  });

  it('says that a body was parsed, or that the secrets are no list', () => {
    const untyped = verifyWebhook as (...given: readonly unknown[]) => unknown;
    const headers = headersFor(BODY);
    expect(() => untyped(JSON.parse(BODY), headers, [SECRET])).toThrow(/^rawBody was parsed: /);
    expect(() => untyped(BODY, headers, SECRET)).toThrow('secrets is not a list: give [secret]');
  });

  it('throws a plain Error for a malformed secret, which is a setting', () => {
    const verify = () => verifyWebhook(BODY, headersFor(BODY), ['secret'], ON_TIME);
    expect(verify).toThrow('A webhook secret is `whsec_` followed by the key in base64.');
  });
});
