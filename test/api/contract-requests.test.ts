// The server and the contract have the same rules for requests: a value on either side of each
// bound is accepted by the server exactly when the contract's schema accepts it.
import fc from 'fast-check';
import type { Corridor } from '../../src/corridors/names';
import { withApi } from '../support/brackets';
import { anIntent } from '../support/builders';
import {
  CONTRACT,
  schemaErrorOf,
  schemaOf,
  type Schema,
} from '../support/contract/contract-document';
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

const isAccepted = (schema: Schema, value: unknown) => schemaErrorOf(schema, value) === undefined;

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

  it('has cases that are accepted and more that are not', () => {
    const accepted = cases.filter(({ value }) => isAccepted(schema, value));
    expect(accepted.length).toBeGreaterThan(10);
    expect(cases.length - accepted.length).toBeGreaterThan(50);
  });

  it.each([null, [], [good], 'text', 1, true])('must be an object, not %j', async (value) => {
    expect([isAccepted(schema, value), await statusOf(value)]).toEqual([false, 400]);
  });

  it('is accepted exactly when the schema accepts it, for any value', async () => {
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
        // The sent JSON decides: a double that JSON cannot represent has become null.
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
    // JSON has no undefined members.
    const sent: unknown = JSON.parse(JSON.stringify(value));
    expect(await statusOf(sent)).toBe(isAccepted(schema, sent) ? 200 : 400);
  });

  it('with a code of the other corridor, which no schema can detect, is 400', async () => {
    const value = { qr_payload: aVietnameseCode() };
    expect([isAccepted(schema, value), await statusOf(value)]).toEqual([true, 400]);
    expect(await statusOf(value, 'vn_qrpay')).toBe(200);
  });
});

describe('the idempotency key', () => {
  const schema = parameters['IdempotencyKey']?.schema ?? {};
  // HTTP strips spaces around a header value, and a value cannot contain line ends or NUL.
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
  /** Claims that only the schema restricts; the others must also match the service's data. */
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
    // A malformed intent id finds no intent.
    const rejection = claim === 'service:intent_id' && typeof value === 'string' ? 404 : 401;
    expect(status).toBe(isAccepted(schema, sent) ? 200 : rejection);
  });
});
