// The usual mistakes in signing as a table: what each makes of a request that should have been signed otherwise
// (protocol 3.2). A signature that one of them makes exactly is a proof of it, not a guess.
import { createHmac } from 'node:crypto';
import { bodyDigest, type SignableRequest } from './canonical-request';
import { otherBodies, otherSecrets, otherTimestamps } from './mistaken-values';

export interface SigningMistake {
  readonly component: MistakenPart;
  /** What was done, and what to do. */
  readonly sentence: string;
}

export type MistakenPart =
  'method' | 'path' | 'timestamp' | 'nonce' | 'body digest' | 'joining' | 'secret' | 'encoding';

export interface MistakableRequest extends SignableRequest {
  /** Scheme and host, where the address was given. */
  readonly origin: string;
  /** With its question mark; empty without one. */
  readonly query: string;
  readonly secret: string;
}

/** How a signature comes about: each mistake replaces some of it. */
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
      'The body that was signed is the same JSON written anew: serialize once, then sign and send those very bytes.',
    make: (request) => digestsOf(otherBodies.writtenAnew(textOf(request))),
  },
  {
    component: 'body digest',
    sentence:
      'A line end stands behind the body in what was signed and not in what is sent, or the other way round: sign the very bytes that are sent.',
    make: (request) => digestsOf(otherBodies.withOtherEnd(textOf(request))),
  },
  {
    component: 'body digest',
    sentence: 'The digest is of the body in another encoding: it is of the bytes that are sent.',
    make: (request) => digestsOf(otherBodies.encodedOtherwise(textOf(request))),
  },
  {
    component: 'body digest',
    sentence: 'The body was left out: the fifth component is its digest, on every method.',
    make: ({ body }) => (body.length > 0 ? [{ digest: '' }] : []),
  },
  {
    component: 'body digest',
    sentence:
      'No body is the empty string as fifth component, not the SHA-256 of nothing and not that of "{}" or "null".',
    make: ({ body }) => (body.length > 0 ? [] : otherBodies.forNone.map((digest) => ({ digest }))),
  },
  {
    component: 'body digest',
    sentence: 'The digest is in lowercase hex: only the signature is base64.',
    make: (_, { digest }) => {
      const bytes = Buffer.from(digest, 'hex');
      const otherwise = [digest.toUpperCase(), bytes.toString('base64')];
      return [...otherwise, bytes.toString('base64url')].map((written) => ({ digest: written }));
    },
  },
  {
    component: 'body digest',
    sentence: 'The body itself was signed: the fifth component is its SHA-256.',
    make: (request) => [{ digest: textOf(request) }],
  },
  {
    component: 'path',
    sentence: 'The query string was signed: the path ends before the question mark.',
    make: ({ path, query }) => (query === '' ? [] : [{ path: path + query }]),
  },
  {
    component: 'path',
    sentence: 'The whole address was signed: the path alone, without scheme and host.',
    make: ({ origin, path, query }) => {
      return origin === '' ? [] : [{ path: origin + path }, { path: origin + path + query }];
    },
  },
  {
    component: 'path',
    sentence: 'The path was signed in another form: it stands as on the request line, with /v1.',
    make: ({ path }) =>
      [decoded(path), path.replace(/^\/v1/, ''), path.replace(/\/$/, ''), `${path}/`].map(
        (other) => ({ path: other }),
      ),
  },
  {
    component: 'method',
    sentence:
      'The method was signed in lowercase or as another one: it stands as on the request line.',
    make: ({ method }) => [method.toLowerCase(), 'GET', 'POST'].map((other) => ({ method: other })),
  },
  {
    component: 'timestamp',
    sentence:
      'The timestamp was signed in another form: it is the text of X-Service-Timestamp, character for character.',
    make: ({ timestamp }) => otherTimestamps(timestamp).map((other) => ({ timestamp: other })),
  },
  {
    component: 'nonce',
    sentence: 'The nonce was signed in another form: it is the text of X-Service-Nonce.',
    make: ({ nonce }) => {
      const bytes = Buffer.from(nonce, 'hex');
      const others = [nonce.toUpperCase(), bytes.toString('base64'), bytes.toString('latin1'), ''];
      return others.map((other) => ({ nonce: other }));
    },
  },
  {
    component: 'joining',
    sentence:
      'A newline follows the last component: newlines stand between the five, none behind them.',
    make: () => [{ join: (signing) => `${joinedBy('\n')(signing)}\n` }],
  },
  {
    component: 'joining',
    sentence: 'The newline before the empty fifth component is missing: there are always four.',
    make: ({ body }) =>
      body.length > 0 ? [] : [{ join: (signing) => listed(signing).slice(0, 4).join('\n') }],
  },
  {
    component: 'joining',
    sentence:
      'The components are not joined by single newlines (U+000A): no carriage return, no blank, no backslash and n.',
    make: () => ['\r\n', '\\n', '', ' ', '|'].map((separator) => ({ join: joinedBy(separator) })),
  },
  {
    component: 'joining',
    sentence:
      'The timestamp comes third and the nonce fourth: they were signed the other way round.',
    make: ({ timestamp, nonce }) => [{ timestamp: nonce, nonce: timestamp }],
  },
  {
    component: 'secret',
    sentence:
      'The secret that signed has a line end or a blank around it, or lacks one: use its exact characters (a file or echo adds a newline).',
    make: ({ secret }) => otherSecrets.withOtherEnds(secret).map((key) => ({ key })),
  },
  {
    component: 'secret',
    sentence: 'The secret was decoded: its UTF-8 bytes are the key, whatever they look like.',
    make: ({ secret }) => otherSecrets.decoded(secret).map((key) => ({ key })),
  },
  {
    component: 'encoding',
    sentence: 'The signature is in another encoding: it is base64 with +, / and the = at the end.',
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

/** One mistake that makes the signature, or else two; none where it is right or no known ones make it. */
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
  if (single !== undefined) return [told(single.row)];
  for (const [index, first] of variants.entries()) {
    const others = variants.slice(index + 1).filter(({ row }) => row !== first.row);
    const second = others.find(({ change }) => makesIt({ ...first.change, ...change }));
    if (second !== undefined) return [told(first.row), told(second.row)];
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

function told({ component, sentence }: Row): SigningMistake {
  return { component, sentence };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // An escape that is none: then nobody's code has decoded it either.
    return path;
  }
}
