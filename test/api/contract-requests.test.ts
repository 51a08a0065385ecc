// Every rule that the contract has for requests is the server's, and none is missing in it: what lies on either side of each
// bound is taken exactly when the contract's schema takes it.
import fc from 'fast-check';
import type { Corridor } from '../../src/domain/corridor';
import { withApi } from '../support/brackets';
import { anIntent } from '../support/builders';
import { CONTRACT, mistakeBy, schemaOf, type Schema } from '../support/contract/contract-document';
import { claimsFor, mintToken } from '../support/payments/partner';
import { aThaiCode, aVietnameseCode } from '../support/payments/qr-codes';
import { objectCases, valueCases, type Case } from '../support/contract/schema-cases';

const JSON_HEADER = { 'Content-Type': 'application/json' };
const { schemas, parameters, examples } = CONTRACT.components;

const { bed, app, partner } = withApi();

function schemaNamed(name: string): Schema {
  const found = schemas[name];
  if (found === undefined) throw new Error(`the contract has no schema ${name}`);
  return found;
}

const isAccepted = (schema: Schema, value: unknown) => mistakeBy(schema, value) === undefined;

describe('the body of create', () => {
  const schema = schemaNamed('CreateIntentRequest');
  const good = examples['CreateThai']?.value as Readonly<Record<string, unknown>>;
  const statusOf = async (body: unknown) => {
    return (await app.create(partner, JSON.stringify(body))).status;
  };
  const cases = objectCases(schema, good);

  it.each(cases)('$name', async ({ value }) => {
    expect(await statusOf(value)).toBe(isAccepted(schema, value) ? 201 : 400);
  });

  it('of these, some are taken and most are not', () => {
    const taken = cases.filter(({ value }) => isAccepted(schema, value));
    expect(taken.length).toBeGreaterThan(10);
    expect(cases.length - taken.length).toBeGreaterThan(50);
  });

  it.each([null, [], [good], 'text', 1, true])('that is %j and no object', async (value) => {
    expect([isAccepted(schema, value), await statusOf(value)]).toEqual([false, 400]);
  });

  it('of whatever kind', async () => {
    const any = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.integer());
    const members = fc.record(
      {
        partner_user_id: fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), any),
        amount_usd_cents: fc.oneof(fc.integer({ min: -5, max: 100_000_005 }), fc.double(), any),
        corridor: fc.oneof(fc.constantFrom('th_qrpay', 'vn_qrpay', 'TH_QRPAY'), any),
        other: any,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(members, async (value) => {
        // What was sent is judged: a double that JSON cannot hold has become null.
        const sent: unknown = JSON.parse(JSON.stringify(value));
        expect(await statusOf(sent)).toBe(isAccepted(schema, sent) ? 201 : 400);
      }),
      { numRuns: 150, examples: [[good]] },
    );
  });
});

describe('the body of confirm', () => {
  const schema = schemaNamed('ConfirmRequest');
  const statusOf = async (body: unknown, corridor: Corridor = 'th_qrpay') => {
    const intent = await anIntent(bed, partner, { corridor });
    const sent = { headers: JSON_HEADER, body: JSON.stringify(body) };
    return (await app.confirm(intent, mintToken(partner, intent), sent)).status;
  };

  it.each(objectCases(schema, { qr_payload: aThaiCode() }))('$name', async ({ value }) => {
    expect(await statusOf(value)).toBe(isAccepted(schema, value) ? 200 : 400);
  });

  it('with a code of the other corridor, which no schema can tell, is 400', async () => {
    const value = { qr_payload: aVietnameseCode() };
    expect([isAccepted(schema, value), await statusOf(value)]).toEqual([true, 400]);
    expect(await statusOf(value, 'vn_qrpay')).toBe(200);
  });
});

describe('the idempotency key', () => {
  const schema = parameters['IdempotencyKey']?.schema ?? {};
  // Blanks around a header's value are not part of it, and line ends and NUL are no header at all.
  const isSendable = (value: unknown): value is string =>
    typeof value === 'string' && value === value.trim() && /^[\t\x20-\xff]*$/.test(value);
  const keys = [...valueCases(schema, 'order-1'), { name: 'with a tab', value: 'a\tb' }].filter(
    ({ value }) => isSendable(value),
  );

  it.each(keys)('$name', async ({ value }) => {
    const key = String(value);
    const good = examples['CreateThai']?.value;
    const reply = await app.create(partner, good, { 'Idempotency-Key': key });
    expect(reply.status).toBe(isAccepted(schema, key) ? 201 : 400);
  });
});

describe('the claims of a session token', () => {
  const schema = schemaNamed('SessionTokenClaims');
  /** Whatever the schema takes here is taken; every other claim is also compared with what the service knows. */
  const FREE = ['sub', 'jti', 'nbf', 'method', 'verified_at', 'screened_at'];

  interface ClaimCase extends Case {
    readonly claim: string;
    /** The member inside the claim, for the two attestations. */
    readonly inside: string | undefined;
  }

  const casesOf = (claim: string, inside: string | undefined, member: Schema): ClaimCase[] =>
    [...valueCases(schemaOf(member), 'document'), { name: 'missing', value: undefined }]
      .filter(({ value }) => FREE.includes(inside ?? claim) || !isAccepted(member, value))
      .map(({ name, value }) => {
        const what = inside === undefined ? claim : `${claim}, ${inside}`;
        return { name: `${what} ${name}`, value, claim, inside };
      });
  const cases = Object.entries(schema.properties ?? {}).flatMap(([claim, member]) => [
    ...casesOf(claim, undefined, member),
    ...Object.entries(member.properties ?? {}).flatMap(([name, of]) => casesOf(claim, name, of)),
  ]);

  it.each(cases)('$name', async ({ claim, inside, value }) => {
    const intent = await anIntent(bed, partner);
    const good = claimsFor(partner, intent);
    const changed = inside === undefined ? value : { ...(good[claim] as object), [inside]: value };
    const claims = { ...good, [claim]: changed };
    const { status } = await app.get(intent, mintToken(partner, intent, claims));
    const sent: unknown = JSON.parse(JSON.stringify(claims));
    // An id that is none is that of no intent.
    const rejection = claim === 'service:intent_id' && typeof value === 'string' ? 404 : 401;
    expect(status).toBe(isAccepted(schema, sent) ? 200 : rejection);
  });
});
