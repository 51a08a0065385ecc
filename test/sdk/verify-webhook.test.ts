// Decision 18: Standard Webhooks, verified as a partner does; the `standardwebhooks` package is the oracle, in both directions.
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError, type WebhookHeaders } from '../../src/sdk';
import { signWebhook, webhookSignatureHeader } from '../../src/signing/webhook-signature';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const SENT_SECONDS = 1_736_937_003;
const BODY = JSON.stringify({
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
});

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

function refusalOf(verify: () => unknown): unknown {
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
    });
  });

  it('takes the body as bytes, and headers as a Headers object or in any case', () => {
    const headers = headersFor(BODY);
    const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
    const forms: WebhookHeaders[] = [
      new Headers(headers),
      Object.fromEntries(upper) as WebhookHeaders,
    ];
    const ids = forms.map((form) => verifyWebhook(Buffer.from(BODY), form, [SECRET], ON_TIME).id);
    expect(ids).toEqual(['evt_1', 'evt_1']);
  });

  it('accepts what the standardwebhooks package signed', () => {
    const aKey = fc.uint8Array({ minLength: 24, maxLength: 64 });
    fc.assert(
      fc.property(aKey, fc.string({ minLength: 1 }), (key, type) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`;
        const body = BODY.replace('"payment_intent.captured"', () => JSON.stringify(type));
        const signature = new Webhook(secret).sign('evt_1', ON_TIME.now(), body);
        const headers = { ...headersFor(body), 'webhook-signature': signature };
        expect(verifyWebhook(body, headers, [secret], ON_TIME).type).toBe(type);
      }),
    );
  });

  it('signs what the standardwebhooks package accepts', () => {
    jest.useFakeTimers({ now: SENT_SECONDS * 1_000 });
    try {
      const accepted = new Webhook(SECRET).verify(BODY, headersFor(BODY, [OTHER_SECRET, SECRET]));
      expect(accepted).toEqual(JSON.parse(BODY));
    } finally {
      jest.useRealTimers();
    }
  });

  it.each([
    ['old secret', [SECRET]],
    ['new secret', [OTHER_SECRET]],
    ['both secrets', [OTHER_SECRET, SECRET]],
  ])('accepts two signatures for a partner who has the %s', (_, secrets) => {
    const headers = headersFor(BODY, [SECRET, OTHER_SECRET]);
    expect(verifyWebhook(BODY, headers, secrets, ON_TIME).id).toBe('evt_1');
  });

  it('passes over signatures of other schemes', () => {
    const headers = headersFor(BODY);
    const list = `v1a,b3RoZXI= nonsense ${headers['webhook-signature']}`;
    const withOthers = { ...headers, 'webhook-signature': list };
    expect(verifyWebhook(BODY, withOthers, [SECRET], ON_TIME).id).toBe('evt_1');
  });

  it.each([
    [-301, 'timestamp_too_new'],
    [-300, 'accepted'],
    [300, 'accepted'],
    [301, 'timestamp_too_old'],
  ])('received %d s after it was sent: %s', (lateSeconds, expected) => {
    const options = at(SENT_SECONDS + lateSeconds);
    const verify = () => verifyWebhook(BODY, headersFor(BODY), [SECRET], options);
    expect(refusalOf(verify)).toBe(expected);
  });

  it('is as tolerant as it is told', () => {
    const options = { ...at(SENT_SECONDS + 11), toleranceSeconds: 10 };
    const verify = () => verifyWebhook(BODY, headersFor(BODY), [SECRET], options);
    expect(refusalOf(verify)).toBe('timestamp_too_old');
  });

  it.each(['', '17369370O3', '1736937003.5', '-1', '1e9', ' 1736937003'])(
    'refuses the timestamp %j',
    (timestamp) => {
      const headers = { ...headersFor(BODY), 'webhook-timestamp': timestamp };
      const verify = () => verifyWebhook(BODY, headers, [SECRET], ON_TIME);
      expect(refusalOf(verify)).toBe(timestamp === '' ? 'missing_header' : 'malformed_timestamp');
    },
  );

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'refuses a webhook without %s',
    (name) => {
      const headers = { ...headersFor(BODY), [name]: undefined };
      expect(refusalOf(() => verifyWebhook(BODY, headers, [SECRET], ON_TIME))).toBe(
        'missing_header',
      );
    },
  );

  it.each([
    ['another secret', BODY, headersFor(BODY, [OTHER_SECRET])],
    ['another body', `${BODY} `, headersFor(BODY)],
    ['another id', BODY, { ...headersFor(BODY), 'webhook-id': 'evt_2' }],
    [
      'a time within tolerance, but another',
      BODY,
      { ...headersFor(BODY), 'webhook-timestamp': '1736937004' },
    ],
    ['the signature without its version', BODY, withSignature((signature) => signature.slice(3))],
    [
      'another spelling of the base64',
      BODY,
      withSignature((signature) => signature.replace(/=$/, '')),
    ],
  ])('refuses a signature made with %s', (_, body, headers) => {
    const verify = () => verifyWebhook(body, headers, [SECRET], ON_TIME);
    expect(refusalOf(verify)).toBe('no_matching_signature');
  });

  it('refuses everything when there is no secret', () => {
    const verify = () => verifyWebhook(BODY, headersFor(BODY), [], ON_TIME);
    expect(refusalOf(verify)).toBe('no_matching_signature');
  });

  it.each(['', '[]', 'null', '{"type":1}', '{"type":"x","timestamp":"2025-01-15T10:30:02Z"}'])(
    'refuses the body %j, however well signed',
    (body) => {
      const verify = () => verifyWebhook(body, headersFor(body), [SECRET], ON_TIME);
      expect(refusalOf(verify)).toBe('unreadable_body');
    },
  );

  it('says that a secret is malformed, since that is a setting and not the sender', () => {
    const verify = () => verifyWebhook(BODY, headersFor(BODY), ['secret'], ON_TIME);
    expect(verify).toThrow('A webhook secret is `whsec_` followed by the key in base64.');
  });
});

function withSignature(change: (signature: string) => string) {
  const message = { id: 'evt_1', timestamp: String(SENT_SECONDS), body: BODY };
  return { ...headersFor(BODY), 'webhook-signature': change(signWebhook(message, SECRET)) };
}
