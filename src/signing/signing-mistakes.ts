// A table of usual signing mistakes (protocol 3.2). Each row computes the signatures that the
// mistake produces. A mistake that produces exactly the given signature is proven, not guessed.
import { createHmac } from 'node:crypto';
import { bodyDigest, type SignableRequest } from './canonical-request';
import { otherBodies, otherPaths, otherSecrets, otherTimestamps } from './mistaken-values';

export interface SigningMistake {
  readonly component: MistakenPart;
  /** Says what is wrong and what to do instead. */
  readonly sentence: string;
}

export type MistakenPart =
  'method' | 'path' | 'timestamp' | 'nonce' | 'body digest' | 'joining' | 'secret' | 'encoding';

interface MistakableRequest extends SignableRequest {
  /** With its port; empty when only a path was given. */
  readonly host: string;
  /** Includes the question mark; empty without a query string. */
  readonly query: string;
  readonly secret: string;
}

/** The inputs of a signature. Each mistake replaces some of them. */
interface Signing {
  readonly method: string;
  readonly path: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly digest: string;
  readonly join: (signing: Signing) => string;
  readonly key: string | Uint8Array;
  readonly encode: (mac: Buffer) => string;
}

interface Row extends SigningMistake {
  readonly make: (request: MistakableRequest, right: Signing) => readonly Partial<Signing>[];
}

const joinedBy = (separator: string) => (signing: Signing) => listed(signing).join(separator);
const textOf = ({ body }: SignableRequest) => Buffer.from(body).toString('utf8');

const ROWS: readonly Row[] = [
  {
    component: 'body digest',
    sentence:
      'The body was serialized again. Serialize once, then sign and send exactly those bytes.',
    make: (request) => digestsOf(otherBodies.serializedAgain(textOf(request))),
  },
  {
    component: 'body digest',
    sentence:
      'The signed and the sent body differ in a line end. Sign exactly the bytes that you send.',
    make: (request) => digestsOf(otherBodies.withOtherEnd(textOf(request))),
  },
  {
    component: 'body digest',
    sentence:
      'The digest is of the body in another encoding. Hash exactly the bytes that you send.',
    make: (request) => digestsOf(otherBodies.encodedOtherwise(textOf(request))),
  },
  {
    component: 'body digest',
    sentence:
      'The body was left out. The fifth component is the digest of the body, for every method.',
    make: ({ body }) => (body.length > 0 ? [{ digest: '' }] : []),
  },
  {
    component: 'body digest',
    sentence:
      'Without a body the fifth component is empty, not the SHA-256 of nothing, "{}" or "null".',
    make: ({ body }) => (body.length > 0 ? [] : otherBodies.forNone.map((digest) => ({ digest }))),
  },
  {
    component: 'body digest',
    sentence:
      'The digest was signed in another format. Use lowercase hex; only the signature is base64.',
    make: (_, { digest }) => {
      const bytes = Buffer.from(digest, 'hex');
      const otherwise = [digest.toUpperCase(), bytes.toString('base64')];
      return [...otherwise, bytes.toString('base64url')].map((written) => ({ digest: written }));
    },
  },
  {
    component: 'body digest',
    sentence: 'The body itself was signed. The fifth component is its SHA-256.',
    make: (request) => [{ digest: textOf(request) }],
  },
  {
    component: 'path',
    sentence: 'The query string was signed. The path ends before the question mark.',
    make: ({ path, query }) => (query === '' ? [] : [{ path: path + query }]),
  },
  {
    component: 'path',
    sentence: 'The full URL was signed. Sign only the path, without scheme and host.',
    make: ({ host, path, query }) => {
      const origins = host === '' ? [] : [`https://${host}`, `http://${host}`, host];
      return origins.flatMap((origin) => [path, path + query].map((it) => ({ path: origin + it })));
    },
  },
  {
    component: 'path',
    sentence:
      'The path was signed in another form. Sign it as sent on the request line, including /v1.',
    make: ({ path }) => otherPaths.inOtherForm(path).map((other) => ({ path: other })),
  },
  {
    component: 'path',
    sentence:
      'The path was left out, or signed only in part. Sign all of it, as sent on the request line.',
    make: ({ path }) => [
      ...otherPaths.inPart(path).map((part) => ({ path: part })),
      {
        join: ({ method, timestamp, nonce, digest }) =>
          [method, timestamp, nonce, digest].join('\n'),
      },
    ],
  },
  {
    component: 'method',
    sentence: 'Another method or a method in lowercase was signed. Sign it as on the request line.',
    make: ({ method }) => [method.toLowerCase(), 'GET', 'POST'].map((other) => ({ method: other })),
  },
  {
    component: 'timestamp',
    sentence:
      'The timestamp was signed in another form. Sign exactly the text of X-Service-Timestamp.',
    make: ({ timestamp }) => otherTimestamps(timestamp).map((other) => ({ timestamp: other })),
  },
  {
    component: 'nonce',
    sentence: 'The nonce was signed in another form. Sign exactly the text of X-Service-Nonce.',
    make: ({ nonce }) => {
      const bytes = Buffer.from(nonce, 'hex');
      const others = [nonce.toUpperCase(), bytes.toString('base64'), bytes.toString('latin1'), ''];
      return others.map((other) => ({ nonce: other }));
    },
  },
  {
    component: 'joining',
    sentence:
      'A newline follows the last component. Put newlines only between the five components.',
    make: () => [{ join: (signing) => `${joinedBy('\n')(signing)}\n` }],
  },
  {
    component: 'joining',
    sentence:
      'The newline before the empty fifth component is missing. There are always four newlines.',
    make: ({ body }) =>
      body.length > 0 ? [] : [{ join: (signing) => listed(signing).slice(0, 4).join('\n') }],
  },
  {
    component: 'joining',
    sentence:
      'The components are not joined by single newlines (U+000A), but by other characters or none.',
    make: () => ['\r\n', '\\n', '', ' ', '|'].map((separator) => ({ join: joinedBy(separator) })),
  },
  {
    component: 'joining',
    sentence:
      'Timestamp and nonce were signed in the wrong order. The timestamp comes before the nonce.',
    make: ({ timestamp, nonce }) => [{ timestamp: nonce, nonce: timestamp }],
  },
  {
    component: 'secret',
    sentence:
      'The secret was used with a line end, space or quote too many or too few. ' +
      'Use its exact characters; a file or echo adds a newline.',
    make: ({ secret }) => otherSecrets.withOtherEnds(secret).map((key) => ({ key })),
  },
  {
    component: 'secret',
    sentence: 'The key was empty. The secret was decoded, or its variable is not set.',
    make: () => [{ key: '' }],
  },
  {
    component: 'secret',
    sentence: 'The secret was decoded. Use its UTF-8 bytes as the key, even if it looks encoded.',
    make: ({ secret }) => otherSecrets.decoded(secret).map((key) => ({ key })),
  },
  {
    component: 'encoding',
    sentence: 'The signature is in another encoding. Use base64 with +, / and the = at the end.',
    make: () => [
      { encode: (mac) => mac.toString('base64url') },
      { encode: (mac) => `${mac.toString('base64url')}=` },
      { encode: (mac) => mac.toString('base64').replace(/=+$/, '') },
      { encode: (mac) => mac.toString('hex') },
      { encode: (mac) => mac.toString('hex').toUpperCase() },
      { encode: (mac) => Buffer.from(mac.toString('hex')).toString('base64') },
      { encode: (mac) => `${mac.toString('base64')}\n` },
    ],
  },
];

/** One or two mistakes that produce the signature; empty when it is right or nothing known does. */
export function findMistakes(
  request: MistakableRequest,
  signature: string,
): readonly SigningMistake[] {
  const right = rightSigning(request);
  const variants = ROWS.flatMap((row) =>
    row.make(request, right).map((change) => ({ row, change })),
  );
  const makesIt = (changes: Partial<Signing>) => sign({ ...right, ...changes }) === signature;
  if (makesIt({})) return [];
  const single = variants.find(({ change }) => makesIt(change));
  if (single !== undefined) return [toMistake(single.row)];
  for (const [index, first] of variants.entries()) {
    const others = variants.slice(index + 1).filter(({ row }) => row !== first.row);
    const second = others.find(({ change }) => makesIt({ ...first.change, ...change }));
    if (second !== undefined) return [toMistake(first.row), toMistake(second.row)];
  }
  return [];
}

function rightSigning({ secret, ...request }: MistakableRequest): Signing {
  const { method, path, timestamp, nonce, body } = request;
  return {
    ...{ method, path, timestamp, nonce, digest: bodyDigest(body) },
    join: joinedBy('\n'),
    key: secret,
    encode: (mac) => mac.toString('base64'),
  };
}

function sign(signing: Signing): string {
  const mac = createHmac('sha256', signing.key).update(signing.join(signing), 'utf8').digest();
  return signing.encode(mac);
}

function listed({ method, path, timestamp, nonce, digest }: Signing): readonly string[] {
  return [method, path, timestamp, nonce, digest];
}

function digestsOf(bodies: readonly Uint8Array[]): readonly Partial<Signing>[] {
  return bodies.map((body) => ({ digest: bodyDigest(body) }));
}

function toMistake({ component, sentence }: Row): SigningMistake {
  return { component, sentence };
}
