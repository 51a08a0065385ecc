// Protocol 4: Node's crypto, the SDK and jose verify the published vectors, so that partners can
// test code in any language with them.
import { constants, createPublicKey, sign } from 'node:crypto';
import { createLocalJWKSet, jwtVerify, type JWK } from 'jose';
import { parseIntentId } from '../../src/domain/ids';
import { keySet } from '../../src/sdk';
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
});

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
