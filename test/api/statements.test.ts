// What a request costs Postgres: statements, round trips and commits, counted on the wire and in the write-ahead log
// (architecture, section 5: a create is one statement and one commit; section 8: the exact counters).
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { createMemoryKeySets, startApp, type Outgoing, type TestApp } from '../support/app';
import { anIntent, anIntentId, aNonce, aTokenUse, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { openCostedBed, type CostedBed } from '../support/costed-bed';
import { aPartner, mintToken, sign, type TestPartner } from '../support/partner';
import { BAD_TOKENS } from './bad-tokens';

const CREATE = { method: 'POST', path: '/v1/payment_intents' };
const BODY = '{"partner_user_id":"user-4711","amount_usd_cents":1250,"corridor":"th_qrpay"}';
const JSON_HEADER = { 'Content-Type': 'application/json' };

let costed: CostedBed;
let bed: TestBed;
let app: TestApp;
let partner: TestPartner;
let other: TestPartner;
let intent: PaymentIntent;
let path: string;

beforeAll(async () => {
  costed = await openCostedBed();
  ({ bed } = costed);
  [partner, other] = [await aPartner(bed), await aPartner(bed)];
  app = await startApp(bed, { keySets: createMemoryKeySets([partner, other]) });
  intent = await anIntent(bed, partner);
  path = `/v1/payment_intents/${intent.intentId}`;
  // What is remembered of the partners, and of both key sets, is there from here on.
  for (const who of [partner, other]) await getByToken(mintToken(who, intent));
});
afterAll(async () => {
  await app.close();
  await costed.close();
});

const create = (headers: Outgoing['headers'] = {}) =>
  app.sendSigned(partner, { ...CREATE, body: BODY, headers: { ...JSON_HEADER, ...headers } });
const getByToken = (token: string, { intentId } = intent) =>
  app.send({ path: `${CREATE.path}/${intentId}`, headers: { Authorization: `Bearer ${token}` } });
const confirm = (token: string) =>
  app.send({
    method: 'POST',
    path: `${path}/confirm`,
    headers: { Authorization: `Bearer ${token}` },
  });

const costOf: CostedBed['costOf'] = (request) => costed.costOf(request);

describe('the counters', () => {
  const insertNonce = (nonce: string) => ({
    text: `insert into request_nonces (partner_id, nonce, seen_at) values ('p', decode($1, 'hex'), service_now())
           on conflict do nothing`,
    values: [nonce],
  });
  const count: CostedBed['countDuring'] = (work) => costed.countDuring(work);

  it('count each statement of a transaction, and one commit', async () => {
    const work = () =>
      bed.database.inTransaction(async (connection) => {
        await connection.query(insertNonce(aNonce()));
        await connection.query({ text: 'select 1' });
      });
    expect(await count(work)).toEqual({ statements: 4, roundTrips: 4, commits: 1 });
  });

  it('count one commit for each statement outside of a transaction that writes', async () => {
    const work = async () => {
      await bed.database.query(insertNonce(aNonce()));
      await bed.database.query({ text: 'update payment_intents set check_at = null' });
    };
    expect(await count(work)).toEqual({ statements: 2, roundTrips: 2, commits: 2 });
  });

  it('count no commit for what only reads, was in vain or was rolled back', async () => {
    const nonce = aNonce();
    await bed.database.query(insertNonce(nonce));
    const work = async () => {
      await bed.database.query({ text: 'select * from payment_intents' });
      await bed.database.query(insertNonce(nonce));
      const failing = bed.database.inTransaction(async (connection) => {
        await connection.query(insertNonce(aNonce()));
        throw new Error('and back');
      });
      await expect(failing).rejects.toThrow('and back');
    };
    expect(await count(work)).toEqual({ statements: 5, roundTrips: 5, commits: 0 });
  });

  it('count a lock on a row, which is durable too', async () => {
    const work = () => bed.database.query({ text: 'select from payment_intents for update' });
    expect(await count(work)).toEqual({ statements: 1, roundTrips: 1, commits: 1 });
  });
});

describe('statements/round trips/commits', () => {
  it('of a create are 1/1/1', async () => {
    expect(await costOf(() => create())).toBe('201: 1/1/1');
    expect(await costOf(() => create({ 'Idempotency-Key': 'order-1' }))).toBe('201: 1/1/1');
  });

  it('of its idempotent replay are 1/1/1: the commit is that of the nonce', async () => {
    await create({ 'Idempotency-Key': 'order-2' });
    expect(await costOf(() => create({ 'Idempotency-Key': 'order-2' }))).toBe('201: 1/1/1');
  });

  it('of a GET by token are 1/1/0, the first and every later one', async () => {
    const token = mintToken(partner, intent);
    expect(await costOf(() => getByToken(token))).toBe('200: 1/1/0');
    expect(await costOf(() => getByToken(token))).toBe('200: 1/1/0');
  });

  it('of a GET by token are 1/1/0 again as soon as a change of some partner has been read', async () => {
    await aPartner(bed);
    await getByToken(mintToken(partner, intent));
    expect(await costOf(() => getByToken(mintToken(partner, intent)))).toBe('200: 1/1/0');
  });

  it('of a signed GET are 1/1/1: the nonce and the intent together', async () => {
    expect(await costOf(() => app.sendSigned(partner, { path }))).toBe('200: 1/1/1');
  });

  it('of a signed GET of what does not exist, or is another’s, are the same', async () => {
    for (const id of [anIntentId(), 'no-intent-id']) {
      const nowhere = `/v1/payment_intents/${id}`;
      expect(await costOf(() => app.sendSigned(partner, { path: nowhere }))).toBe('404: 1/1/1');
    }
    expect(await costOf(() => app.sendSigned(other, { path }))).toBe('403: 1/1/1');
  });
});

/** A create that is right but for one thing, by the cause that the log tells. */
const REFUSED: Readonly<Record<string, () => Outgoing['headers']>> = {
  both_kinds_of_credentials: () => ({ ...signed(), Authorization: 'Bearer a.b.c' }),
  header_missing_or_repeated: () => ({ ...signed(), 'X-Service-Nonce': [aNonce(), aNonce()] }),
  source_address_not_registered: () => signed({}, elsewhere),
  key_unknown: () => signed({}, { ...partner, key_id: 'nobody' }),
  key_revoked: () => signed({}, revoked),
  timestamp_not_within_5_minutes: () =>
    signed({ timestamp: secondsAfter(NOON, -301).toISOString() }),
  nonce_malformed: () => signed({ nonce: 'ab'.repeat(16) }),
  signature_wrong: () => signed({}, { ...partner, signing_secret: 'x' }),
};

let elsewhere: TestPartner;
let revoked: TestPartner;

function signed(parts: Partial<Parameters<typeof sign>[1]> = {}, who = partner) {
  return { ...JSON_HEADER, ...sign(who, { ...CREATE, body: BODY, ...parts }) };
}

describe('a refused request reads once, and leaves nothing durable', () => {
  beforeAll(async () => {
    [elsewhere, revoked] = [
      await aPartner(bed, { allow: ['203.0.113.0/24'] }),
      await aPartner(bed),
    ];
    await bed.database.query({
      text: 'update signing_keys set revoked_at = service_now() where key_id = $1',
      values: [revoked.key_id],
    });
    await app.send({ ...CREATE, headers: signed({}, revoked) });
  });
  beforeEach(() => {
    app.refusals.length = 0;
  });

  it.each(Object.keys(REFUSED))('a create for %s', async (reason) => {
    const headers = REFUSED[reason]?.() ?? {};
    expect(await costOf(() => app.send({ ...CREATE, headers, body: BODY }))).toBe('401: 1/1/0');
    expect(app.refusals).toEqual([reason]);
  });

  it('a create whose nonce was seen', async () => {
    const headers = signed();
    const send = () => app.send({ ...CREATE, headers, body: BODY });
    expect(await costOf(send)).toBe('201: 1/1/1');
    expect(await costOf(send)).toBe('401: 1/1/0');
  });

  describe.each([
    ['GET', getByToken],
    ['confirm', confirm],
  ] as const)('by %s', (_name, send) => {
    it.each(BAD_TOKENS.map((bad) => [bad.step, bad.name, bad] as const))(
      'a token at step %s: %s',
      async (_step, _cause, { mint, reason }) => {
        const token = mint({ partner, other, intent });
        expect(await costOf(() => send(token))).toBe('401: 1/1/0');
        expect(app.refusals).toEqual([reason]);
      },
    );

    it('a token at step 8: its jti was used', async () => {
      const { intentId } = await anIntent(bed, partner);
      const jti = aNonce();
      const authorize = { intentId, from: 'created', event: 'authorize', actor: 'payer' } as const;
      await bed.intents.transition({ ...authorize, token: aTokenUse(partner, jti) });
      const token = mintToken(partner, intent, { jti });
      expect(await costOf(() => send(token))).toBe('401: 1/1/0');
      expect(app.refusals).toEqual(['jti_used']);
    });
  });

  it('by GET a token at step 9: its intent is settled', async () => {
    const settled = await anIntent(bed, partner, { status: 'captured' });
    const token = mintToken(partner, settled);
    expect(await costOf(() => getByToken(token, settled))).toBe('401: 1/1/0');
    expect(app.refusals).toEqual(['state_not_open']);
  });

  it('by confirm a token that is bound to another intent', async () => {
    const token = mintToken(partner, await anIntent(bed, partner));
    expect(await costOf(() => confirm(token))).toBe('401: 1/1/0');
    expect(app.refusals).toEqual(['bound_to_another_intent']);
  });
});
