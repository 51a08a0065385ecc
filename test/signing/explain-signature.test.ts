// Every 401 is the same, so the explanation must find the mistake behind a rejected signature. The
// published vectors have valid signatures and those of mistakes.
import { createHash, createHmac } from 'node:crypto';
import { explainSignature } from '../../src/signing/explain-signature';
import { readVectors, requestNamed, type RequestVector } from './vectors';

const { requests, not_equal: mistakes } = readVectors();
const SECRET = 'sandbox_signing_secret_for_vectors_only';

const inputOf = (vector: RequestVector) => ({
  keyId: vector.key_id,
  signingSecret: vector.secret,
  method: vector.method,
  target: vector.path,
  timestamp: vector.timestamp,
  nonce: vector.nonce,
  body: vector.body,
});
const create = inputOf(requestNamed('create'));

/** @returns the components of the mistakes that are found for the signature */
function explained(signature: string, input: Parameters<typeof explainSignature>[0] = create) {
  const { comparison } = explainSignature({ ...input, signature });
  return comparison?.likelyMistakes.map(({ component }) => component);
}

describe('a request of the vectors', () => {
  it.each(requests.map((vector) => [vector.name, vector] as const))(
    '%s is explained as it is signed',
    (_, vector) => {
      const found = explainSignature({ ...inputOf(vector), signature: vector.signature });
      expect(found.canonicalRequest).toBe(vector.canonical);
      expect(Buffer.from(found.canonicalBytes).toString('utf8')).toBe(vector.canonical);
      expect(found.components.map(({ value }) => value).join('\n')).toBe(vector.canonical);
      expect(found.headers).toEqual({
        'X-Service-Key-Id': vector.key_id,
        'X-Service-Timestamp': vector.timestamp,
        'X-Service-Nonce': vector.nonce,
        'X-Service-Signature': vector.signature,
      });
      expect(found.comparison).toEqual({ isEqual: true, likelyMistakes: [] });
    },
  );

  it.each(requests.map((vector) => [vector.name, vector] as const))(
    '%s is explained without its secret',
    (_, vector) => {
      const found = explainSignature({ ...inputOf(vector), signature: 'another' });
      expect(JSON.stringify(found)).not.toContain(vector.secret);
    },
  );
});

/** The component of each mistake of the vectors. */
const PART_OF: Readonly<Record<string, string>> = {
  'newline-at-the-end': 'joining',
  'newline-left-off-for-no-body': 'joining',
  'line-ends-of-two-characters': 'joining',
  'digest-of-no-bytes': 'body digest',
  'digest-in-capitals': 'body digest',
  'digest-in-base64': 'body digest',
  'body-serialized-again': 'body digest',
  'body-in-utf-16': 'body digest',
  'method-in-lowercase': 'method',
  'query-string-included': 'path',
  'address-in-place-of-the-path': 'path',
  'path-decoded': 'path',
  'timestamp-rewritten': 'timestamp',
  'nonce-before-timestamp': 'joining',
  'signature-in-base64url': 'encoding',
  'signature-without-padding': 'encoding',
  'signature-in-hex': 'encoding',
};

describe('a mistake of the vectors', () => {
  it.each(mistakes.map((mistake) => [mistake.name, mistake] as const))(
    '%s is found',
    (name, { of, signature }) => {
      const vector = inputOf(requestNamed(of));
      const target = `https://sandbox.example${vector.target}?view=full`;
      expect(explained(signature, { ...vector, target })).toEqual([PART_OF[name]]);
    },
  );
});

/** @returns the signature of code that signs with these changed values */
function signed(changes: Partial<Record<keyof typeof create, string>> = {}): string {
  return explainSignature({ ...create, ...changes }).headers['X-Service-Signature'] ?? '';
}

describe('a signature that differs', () => {
  it.each([
    ['a line end after the secret', { signingSecret: `${SECRET}\n` }, 'secret'],
    ['a space after the secret', { signingSecret: `${SECRET} ` }, 'secret'],
    ['a body read from a file that ends in a newline', { body: `${create.body}\n` }, 'body digest'],
    ['a body left out', { body: '' }, 'body digest'],
    [
      'a body with spaces between its members',
      {
        body: '{"partner_user_id": "user-4711", "amount_usd_cents": 1250, "corridor": "th_qrpay"}',
      },
      'body digest',
    ],
    [
      'a body with sorted members',
      { body: '{"amount_usd_cents":1250,"corridor":"th_qrpay","partner_user_id":"user-4711"}' },
      'body digest',
    ],
    ['another method', { method: 'GET' }, 'method'],
    ['a path without its version', { target: '/payment_intents' }, 'path'],
    ['a path that was left out', { target: '' }, 'path'],
    ['a path that was signed in part', { target: '/v1' }, 'path'],
    ['a timestamp with milliseconds', { timestamp: '2025-01-15T10:30:00.000Z' }, 'timestamp'],
    ['a timestamp in seconds', { timestamp: '1736937000' }, 'timestamp'],
    ['a nonce in capitals', { nonce: create.nonce.toUpperCase() }, 'nonce'],
  ])('because of %s is explained', (_, change, part) => {
    expect(explained(signed(change))).toEqual([part]);
  });

  const PATH = create.target;
  const HOST = '127.0.0.1:8080';
  it.each(
    [`http://${HOST}${PATH}`, `https://${HOST}${PATH}`, `${HOST}${PATH}`, `${HOST}${PATH}?a=1`]
      .flatMap((wrong) => [
        [wrong, `http://${HOST}${PATH}?a=1`, undefined],
        [wrong, `${HOST}${PATH}?a=1`, undefined],
        [wrong, `${PATH}?a=1`, `http://${HOST}`],
      ])
      .concat([[`localhost${PATH}`, `localhost${PATH}`, undefined]]),
  )('because %s was signed is explained for the argument %s, base URL %s', (...given) => {
    const [wrong = '', target = '', baseUrl] = given;
    const signature = signedAs(wrong);
    const found = explainSignature({ ...create, target, baseUrl, signature });
    expect(found.comparison?.likelyMistakes).toEqual([
      { component: 'path', sentence: expect.stringContaining('The full URL was signed') as string },
    ]);
    expect(found.problems).not.toContain('The path does not begin with a slash.');
    expect(found.components[1]?.value).toBe(PATH);
  });

  /** As code signs that has this text for the path. */
  function signedAs(path: string): string {
    const { method, timestamp, nonce, body } = create;
    const digest = createHash('sha256').update(body).digest('hex');
    const text = [method, path, timestamp, nonce, digest].join('\n');
    return createHmac('sha256', SECRET).update(text).digest('base64');
  }

  it('because the path is no component is explained', () => {
    const { timestamp, nonce } = create;
    const { value: digest } = explainSignature(create).components[4] ?? { value: '' };
    const text = ['POST', timestamp, nonce, digest].join('\n');
    const mac = createHmac('sha256', SECRET).update(text).digest('base64');
    expect(explained(mac)).toEqual(['path']);
  });

  it('because the query string was signed is explained', () => {
    const target = '/v1/payment_intents?a=b';
    const canonical = explainSignature(create).canonicalRequest.replace('intents', 'intents?a=b');
    const mac = createHmac('sha256', SECRET).update(canonical).digest('base64');
    const { comparison } = explainSignature({ ...create, target, signature: mac });
    expect(comparison?.likelyMistakes).toEqual([
      {
        component: 'path',
        sentence: 'The query string was signed. The path ends before the question mark.',
      },
    ]);
  });

  it('because of an empty key is explained, and not only as a decoded secret', () => {
    for (const key of ['', Buffer.from(SECRET, 'hex')]) {
      const { canonicalRequest } = explainSignature(create);
      const signature = createHmac('sha256', key).update(canonicalRequest).digest('base64');
      const { comparison } = explainSignature({ ...create, signature });
      const sentences = comparison?.likelyMistakes.map(({ sentence }) => sentence);
      expect(sentences).toEqual([
        expect.stringMatching(/^The key was empty\. .*decoded.*variable/),
      ]);
    }
  });

  it('because of a secret decoded from base64 is explained', () => {
    const { canonicalRequest } = explainSignature(create);
    const key = Buffer.from(SECRET, 'base64');
    const mac = createHmac('sha256', key).update(canonicalRequest).digest('base64');
    expect(explained(mac)).toEqual(['secret']);
  });

  it('because characters beyond ASCII were escaped is explained', () => {
    const input = { ...create, body: '{"partner_user_id":"đồng/é"}' };
    const escaped = { ...input, body: '{"partner_user_id":"\\u0111\\u1ed3ng\\/\\u00e9"}' };
    expect(
      explained(explainSignature(escaped).headers['X-Service-Signature'] ?? '', input),
    ).toEqual(['body digest']);
  });

  it('because of two mistakes at once is explained by both', () => {
    const twice = signed({ signingSecret: `${SECRET}\n`, timestamp: '2025-01-15T10:30:00.000Z' });
    expect(explained(twice)).toEqual(['timestamp', 'secret']);
  });

  it('because of another secret or an unknown mistake is not explained', () => {
    expect(explained(signed({ signingSecret: 'the secret of another key' }))).toEqual([]);
  });

  it('is explained in bounded time for any body', () => {
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    expect(explained('another', { ...create, body: deep })).toEqual([]);
  });
});

describe('input that the service rejects for any signature', () => {
  it.each([
    ['a short nonce', { nonce: '0123' }, /nonce is not 64 lowercase hex/],
    [
      'a timestamp with an offset',
      { timestamp: '2025-01-15T17:30:00+07:00' },
      /not RFC 3339 in UTC/,
    ],
    ['a method in lowercase', { method: 'post' }, /not in capitals/],
    ['a path without a slash', { target: 'v1/payment_intents' }, /does not begin with a slash/],
    ['an empty secret', { signingSecret: '' }, /secret is empty/],
    ['a secret with a line end', { signingSecret: `${SECRET}\n` }, /ends with white space/],
    ['a query string', { target: '/v1/payment_intents?a=b' }, /query string is not signed/],
  ])('is a problem: %s', (_, change, sentence) => {
    const { problems } = explainSignature({ ...create, ...change });
    expect(problems.join(' ')).toMatch(sentence);
  });

  it.each([
    ['X-Service-Key-Id', { keyId: '' }],
    ['X-Service-Timestamp', { timestamp: '' }],
    ['X-Service-Nonce', { nonce: '' }],
    ['X-Service-Signature', { signature: '' }],
  ])('is a problem: %s is missing', (name, change) => {
    const { problems } = explainSignature({ ...create, ...change });
    expect(problems).toEqual([`${name} is missing: the service rejects the request.`]);
  });

  it.each([
    ['2025-01-15T10:35:00Z', []],
    ['2025-01-15T10:25:00Z', []],
    ['2025-01-15T10:35:01Z', [expect.stringContaining('is 301 s behind this clock')]],
    ['2025-01-15T10:24:59Z', [expect.stringContaining('is 301 s ahead of this clock')]],
  ])('is a problem by a clock of %s: a stale timestamp', (now, expected) => {
    expect(explainSignature({ ...create, now: new Date(now) }).problems).toEqual(expected);
  });

  it('is not found in a valid request', () => {
    expect(explainSignature(create).problems).toEqual([]);
    expect(explainSignature({ ...create, timestamp: '2025-01-15t10:30:00.5z' }).problems).toEqual(
      [],
    );
  });
});
