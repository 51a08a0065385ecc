// Protocol 4: Node's crypto, the SDK and jose verify the published vectors, so that partners can
// test code in any language with them.
import { constants, createPublicKey, sign } from 'node:crypto';
import { createLocalJWKSet, jwtVerify, type JWK } from 'jose';
import { parseIntentId } from '../../src/domain/ids';
import { explainToken, keySet } from '../../src/sdk';
import { readTokenVectors } from '../signing/vectors';

const { keys, key_sets: keySets, partners, tokens } = readTokenVectors();
const named = <Item extends { readonly name: string }>(items: readonly Item[]) =>
  items.map((item) => [item.name, item] as const);

function keyOf(kid: string | null) {
  const key = keys.find((candidate) => candidate.kid === kid);
  if (key === undefined) throw new Error(`no key ${String(kid)}`);
  return key;
}

const segmentOf = (token: string, index: number) =>
  Buffer.from(token.split('.')[index] ?? '', 'base64url');

describe('a key of the vectors', () => {
  it.each(keys)('$kid is a pair: its public PEM belongs to its private one', (key) => {
    const derived = createPublicKey(key.private_key_pem).export({ type: 'spki', format: 'pem' });
    expect(derived).toBe(key.public_key_pem);
  });

  it.each(keySets)('is in $name as the SDK publishes it', async ({ document }) => {
    const published = document.keys.map(({ kid }) => ({
      kid,
      publicKeyPem: keyOf(kid).public_key_pem,
    }));
    expect(await keySet(published)).toEqual(document);
  });
});

describe('a token of the vectors', () => {
  it.each(named(tokens.filter((vector) => vector.signed_with !== null)))(
    '%s has the signature that Node makes, byte for byte',
    (_name, vector) => {
      const { private_key_pem: key } = keyOf(vector.signed_with);
      const padding = constants.RSA_PKCS1_PADDING;
      const made = sign('sha256', Buffer.from(vector.signing_input), { key, padding });
      expect(segmentOf(vector.token, 2)).toEqual(made);
    },
  );

  it.each(named(tokens))('%s is made of its header and payload', (_name, vector) => {
    const parts = [0, 1].map((index) => segmentOf(vector.signing_input, index).toString());
    expect(parts).toEqual([vector.header, vector.payload]);
    expect(parseIntentId(vector.intent.intent_id)).toBe(vector.intent.intent_id);
  });

  it.each(named(tokens.filter(({ accepted }) => accepted)))(
    '%s is accepted, and jose verifies it too',
    async (_name, vector) => {
      const published = keySets.find(({ name }) => name === vector.key_set);
      const options = { algorithms: ['RS256'], audience: 'service-checkout', clockTolerance: 60 };
      const { payload } = await jwtVerify(
        vector.token,
        createLocalJWKSet({ keys: [...(published?.document.keys ?? [])] as JWK[] }),
        { ...options, currentDate: new Date(vector.now) },
      );
      expect(payload).toEqual(JSON.parse(vector.payload));
      expect(partners[0]?.issuers).toContain(payload.iss);
      expect(vector.token).toMatch(`${vector.signing_input}.`);
    },
  );

  it.each(named(tokens))('%s is explained without its segments', async (_name, vector) => {
    expect(await segmentsShown(vector.token)).toEqual([]);
  });
});

it.each([
  ['of a text that is no token', 'a-signing-secret-given-as-the-token-by-mistake', '"1 segments"'],
  ['of two segments', `${'h'.repeat(16)}.${'s'.repeat(342)}`, '"2 segments"'],
  ['of five segments', `${'a'.repeat(16)}.${'b'.repeat(20)}.c.d.e`, '"5 segments"'],
  ['of a padded segment', `${'h'.repeat(19)}=.b.c`, '"20 characters"'],
])('an explanation %s shows none of it', async (_name, token, found) => {
  expect(await segmentsShown(token)).toEqual([]);
  expect((await explained(token)).failed).toMatchObject({ reason: 'token_malformed', found });
});

const explained = (token: string) =>
  explainToken({ token, jwksUrl: 'https://acme.example/.well-known/jwks.json', keySet: {} });

/** The segments of a token whose beginning is in its explanation. */
async function segmentsShown(token: string): Promise<readonly string[]> {
  const shown = JSON.stringify(await explained(token));
  const beginnings = token.split('.').map((segment) => segment.slice(0, 16));
  return beginnings.filter((beginning) => beginning.length === 16 && shown.includes(beginning));
}

describe('the vectors', () => {
  it('have unique names', () => {
    expect(new Set(tokens.map(({ name }) => name)).size).toBe(tokens.length);
  });

  it('cover each of the eleven steps and the attestations', () => {
    const steps = [...Array.from({ length: 11 }, (_, index) => String(index + 1)), 'attestations'];
    expect([...new Set(tokens.flatMap(({ step }) => step ?? []))].sort()).toEqual(steps.sort());
  });

  it('have a step exactly if they are rejected', () => {
    expect(tokens.filter(({ accepted, step }) => accepted !== (step === null))).toEqual([]);
  });
});
