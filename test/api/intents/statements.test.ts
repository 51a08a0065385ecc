// The cost of requests in Postgres: statements, round trips and commits, counted on the wire and in
// the write-ahead log (architecture, section 5: a create is one statement and one commit; section
// 8: the exact counters). Every rejection costs the same, so this file also tests which step
// rejects each bad token (protocol 4.7).
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { bearer, GOOD_CREATE, pathOf, type Outgoing } from '../../support/app';
import { withPartner } from '../../support/brackets';
import { anIntent, anIntentId, aNonce, aTokenUse, move } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { withCostedApi } from '../../support/cost/costed-api';
import { aPartner, mintToken, sign, type TestPartner } from '../../support/payments/partner';
import { aThaiCode, TH_BILL } from '../../support/payments/qr-codes';
import { BAD_TOKENS } from '../auth/bad-tokens';

const CREATE = { method: 'POST', path: '/v1/payment_intents' };
const BODY = JSON.stringify(GOOD_CREATE);
const [CODE, OTHER] = [aThaiCode(), aThaiCode({ '29': null, '30': TH_BILL })];

const { bed, app, partner, other, intent, countDuring, costOf } = withCostedApi();
const create = (headers: Outgoing['headers'] = {}) => app.create(partner, BODY, headers);
const get = (token: string) => app.get(intent, token);
const confirm = (token: string) => app.confirm(intent, token);
const confirmNew = (another: PaymentIntent, code?: string) =>
  app.confirm(another, mintToken(partner, another), code);
const read = (end: 'session' | 'status', token: string, { intentId } = intent) =>
  app.send({ path: `/flow/${intentId}/${end}`, headers: bearer(token) });

describe('the counters', () => {
  const insertNonce = (nonce: string) => ({
    text: `insert into request_nonces (partner_id, nonce, seen_at) values ('p', decode($1, 'hex'), service_now())
           on conflict do nothing`,
    values: [nonce],
  });
  it('count each statement of a transaction, and one commit', async () => {
    const work = () =>
      bed.database.inTransaction(async (connection) => {
        await connection.query(insertNonce(aNonce()));
        await connection.query({ text: 'select 1' });
      });
    expect(await countDuring(work)).toEqual({ statements: 4, roundTrips: 4, commits: 1 });
  });

  it('count one commit for each writing statement outside of a transaction', async () => {
    const work = async () => {
      await bed.database.query(insertNonce(aNonce()));
      await bed.database.query({ text: 'update payment_intents set check_at = null' });
    };
    expect(await countDuring(work)).toEqual({ statements: 2, roundTrips: 2, commits: 2 });
  });

  it('count no commit for reads, inserts in conflict and rollbacks', async () => {
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
    expect(await countDuring(work)).toEqual({ statements: 5, roundTrips: 5, commits: 0 });
  });

  it('count a lock on a row as a commit, because it is durable too', async () => {
    const work = () => bed.database.query({ text: 'select from payment_intents for update' });
    expect(await countDuring(work)).toEqual({ statements: 1, roundTrips: 1, commits: 1 });
  });
});

describe('statements/round trips/commits', () => {
  it('of a create are 1/1/1', async () => {
    expect(await costOf(create)).toBe('201: 1/1/1');
    expect(await costOf(() => create({ 'Idempotency-Key': 'order-1' }))).toBe('201: 1/1/1');
  });

  it('of its idempotent replay are 1/1/1: the commit stores the nonce', async () => {
    await create({ 'Idempotency-Key': 'order-2' });
    expect(await costOf(() => create({ 'Idempotency-Key': 'order-2' }))).toBe('201: 1/1/1');
  });

  it('of a GET by token are 1/1/0, the first and every later one', async () => {
    const token = mintToken(partner, intent);
    expect(await costOf(() => get(token))).toBe('200: 1/1/0');
    expect(await costOf(() => get(token))).toBe('200: 1/1/0');
  });

  it('of a GET by token are 1/1/0 again once a change of any partner has been read', async () => {
    await aPartner(bed);
    await get(mintToken(partner, intent));
    expect(await costOf(() => get(mintToken(partner, intent)))).toBe('200: 1/1/0');
  });

  it('of a signed GET are 1/1/1, also of an unknown or another partner’s intent', async () => {
    const path = pathOf(intent);
    expect(await costOf(() => app.sendSigned(partner, { path }))).toBe('200: 1/1/1');
    for (const intentId of [anIntentId(), 'no-intent-id']) {
      const nowhere = { path: pathOf({ intentId }) };
      expect(await costOf(() => app.sendSigned(partner, nowhere))).toBe('404: 1/1/1');
    }
    expect(await costOf(() => app.sendSigned(other, { path }))).toBe('403: 1/1/1');
  });

  it('of the checkout’s session and status are 1/1/0, and of its page 0/0/0', async () => {
    const confirmed = await anIntent(bed, partner);
    const token = mintToken(partner, confirmed);
    expect(await costOf(() => read('session', token, confirmed))).toBe('200: 1/1/0');
    app.mode = 'authorize';
    await app.confirm(confirmed, token);
    expect(await costOf(() => read('status', token, confirmed))).toBe('200: 1/1/0');
    expect(await costOf(() => app.send({ path: '/flow/pi_x/scan' }))).toBe('200: 0/0/0');
    expect(await costOf(() => app.send({ path: '/flow/assets/x.js' }))).toBe('404: 0/0/0');
  });

  it('of the checkout’s status with a receipt are 2/2/0', async () => {
    const confirmed = await anIntent(bed, partner);
    const token = mintToken(partner, confirmed);
    app.mode = 'settle';
    await app.confirm(confirmed, token);
    expect(await costOf(() => read('status', token, confirmed))).toBe('200: 2/2/0');
  });
});

describe('statements/round trips/commits of a confirm', () => {
  beforeEach(() => {
    app.mode = 'authorize';
  });

  it('are 3/3/2 without a code (read, transition, answer), 4/4/3 with one to store', async () => {
    const [plain, coded] = [await anIntent(bed, partner), await anIntent(bed, partner)];
    expect(await costOf(() => confirmNew(plain))).toBe('200: 3/3/2');
    expect(await costOf(() => confirmNew(coded, CODE))).toBe('200: 4/4/3');
  });

  it('are 2/2/1 if authorized, 2/2/0 for another code, 1/1/0 for a malformed one', async () => {
    const authorized = await anIntent(bed, partner);
    await confirmNew(authorized, CODE);
    expect(await costOf(() => confirmNew(authorized, CODE))).toBe('200: 2/2/1');
    expect(await costOf(() => confirmNew(authorized))).toBe('200: 2/2/1');
    expect(await costOf(() => confirmNew(authorized, OTHER))).toBe('409: 2/2/0');
    expect(await costOf(() => confirmNew(authorized, 'malformed'))).toBe('400: 1/1/0');
  });
});

describe('a rejected request reads once and commits nothing', () => {
  const elsewhere = withPartner(bed, { allow: ['203.0.113.0/24'] });
  const revoked = withPartner(bed);
  beforeAll(async () => {
    await bed.database.query({
      text: 'update signing_keys set revoked_at = service_now() where key_id = $1',
      values: [revoked.key_id],
    });
    await app.create(revoked);
  });

  const signed = (parts: Partial<Parameters<typeof sign>[1]> = {}, who: TestPartner = partner) =>
    sign(who, { ...CREATE, body: BODY, ...parts });
  const tooOld = secondsAfter(NOON, -301).toISOString();

  it.each<[string, () => Outgoing['headers']]>([
    ['both_kinds_of_credentials', () => ({ ...signed(), ...bearer('a.b.c') })],
    [
      'header_missing_or_repeated',
      () => ({ ...signed(), 'X-Service-Nonce': [aNonce(), aNonce()] }),
    ],
    ['source_address_not_registered', () => signed({}, elsewhere)],
    ['key_unknown', () => signed({}, { ...partner, key_id: 'nobody' })],
    ['key_revoked', () => signed({}, revoked)],
    ['timestamp_not_within_5_minutes', () => signed({ timestamp: tooOld })],
    ['nonce_malformed', () => signed({ nonce: 'ab'.repeat(16) })],
    ['signature_wrong', () => signed({}, { ...partner, signing_secret: 'x' })],
  ])('a create for %s', async (reason, headers) => {
    expect(await costOf(() => create(headers()))).toBe('401: 1/1/0');
    expect(app.rejections).toEqual([reason]);
  });

  it('a create whose nonce was seen', async () => {
    const headers = signed();
    expect(await costOf(() => create(headers))).toBe('201: 1/1/1');
    expect(await costOf(() => create(headers))).toBe('401: 1/1/0');
  });

  describe.each([
    ['GET', get],
    ['confirm', confirm],
  ] as const)('by %s', (_name, send) => {
    it.each(BAD_TOKENS.map((bad) => [bad.step, bad.name, bad] as const))(
      'a token at step %s: %s',
      async (_step, _cause, { mint, reason }) => {
        const token = mint({ partner, other, intent });
        expect(await costOf(() => send(token))).toBe('401: 1/1/0');
        expect(app.rejections).toEqual([reason]);
      },
    );

    it('a token at step 8: its jti was used', async () => {
      const { intentId } = await anIntent(bed, partner);
      const jti = aNonce();
      await move(bed, intentId, 'authorize', { token: aTokenUse(partner, jti) });
      const token = mintToken(partner, intent, { jti });
      expect(await costOf(() => send(token))).toBe('401: 1/1/0');
      expect(app.rejections).toEqual(['jti_used']);
    });
  });

  // One token per reason is enough: both run the same steps as GET, which is tested with every bad
  // token.
  const ONE_EACH = [...new Map(BAD_TOKENS.map((bad) => [bad.reason, bad])).values()];
  describe.each(['session', 'status'] as const)('by the %s of the checkout', (end) => {
    it.each(ONE_EACH.map((bad) => [bad.step, bad] as const))(
      'a token at step %s',
      async (_step, { mint, reason }) => {
        const token = mint({ partner, other, intent });
        expect(await costOf(() => read(end, token))).toBe('401: 1/1/0');
        // For the status, a token that has confirmed nothing fails step 8, before later steps.
        const later = ['amount_differs', 'corridor_differs', 'attestation_not_accepted'];
        const expected = end === 'status' && later.includes(reason) ? 'jti_not_used' : reason;
        expect(app.rejections).toEqual([expected]);
      },
    );
  });

  it('by GET a token at step 9: its intent is settled', async () => {
    const settled = await anIntent(bed, partner, { status: 'captured' });
    const token = mintToken(partner, settled);
    expect(await costOf(() => app.get(settled, token))).toBe('401: 1/1/0');
    expect(app.rejections).toEqual(['state_not_open']);
  });

  it('by confirm a token that is bound to another intent', async () => {
    const token = mintToken(partner, await anIntent(bed, partner));
    expect(await costOf(() => confirm(token))).toBe('401: 1/1/0');
    expect(app.rejections).toEqual(['bound_to_another_intent']);
  });
});
