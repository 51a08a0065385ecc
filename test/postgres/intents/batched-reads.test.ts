// Reads of many callers by one statement (decision 121): each caller gets the same answer as alone,
// and the same nonces are recorded (decision 12).
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { issueKey } from '../../../src/ops/keys/issue';
import type { SignedCaller } from '../../../src/ports/partners';
import type { Queryable } from '../../../src/postgres/database';
import { startCutProxy } from '../../faults/cut-proxy';
import {
  anIntent,
  anIntentId,
  aNonce,
  aTokenUse,
  countOf,
  move,
  openTestBed,
  times,
} from '../../support/builders';
import { withCostedApi } from '../../support/cost/costed-api';
import { ANN, aPartner } from '../../support/payments/partner';
import { untilBlocked } from '../../support/until-blocked';
import { wouldWait } from './lock-probe';

const { bed, partner, other, intent, countDuring } = withCostedApi();
beforeAll(async () => {
  // Opens connections for as many statements as may be under way.
  await times(4, () => bed.database.query({ text: 'select 1' }));
});

const readToken = (token = aTokenUse(partner), { intentId } = intent) =>
  bed.tokens.readToken(intentId, token.partnerId, token.jtiHash);
const read = (caller = partner.caller(), { intentId } = intent) =>
  bed.intents.findSigned(caller, intentId);
const revoke = (keyId: string) =>
  bed.database.query({
    text: 'update signing_keys set revoked_at = service_now() where key_id = $1',
    values: [keyId],
  });
const noncesIn = () => countOf(bed, 'select count(*) from request_nonces');

describe('a hundred simultaneous calls', () => {
  it('read tokens in two statements', async () => {
    const reads = countDuring(() => times(100, () => readToken()));
    await expect(reads).resolves.toEqual({ statements: 2, roundTrips: 2, commits: 0 });
  });

  it('make signed reads in two statements and two commits', async () => {
    const reads = countDuring(() => times(100, () => read()));
    await expect(reads).resolves.toEqual({ statements: 2, roundTrips: 2, commits: 2 });
  });
});

describe('tokens that are read together', () => {
  async function usedOn({ intentId }: PaymentIntent, isAnswered: boolean) {
    const token = aTokenUse(partner);
    await move(bed, intentId, 'authorize', { token });
    if (isAnswered) await bed.tokens.answerConfirm(intentId, token, `req_${token.jtiHash}`);
    return token;
  }

  it('give each caller the state of its token and its intent, as alone', async () => {
    const [settled, unanswered] = [await anIntent(bed, partner), await anIntent(bed, partner)];
    const [used, open] = [await usedOn(settled, true), await usedOn(unanswered, false)];
    const theirs = await anIntent(bed, other, { status: 'captured' });
    const nowhere = { ...intent, intentId: anIntentId() };
    const questions = [
      [aTokenUse(partner), intent, 'unused'],
      [used, settled, 'answered'],
      [used, intent, 'elsewhere'],
      [used, nowhere, 'elsewhere'],
      [open, unanswered, 'unanswered'],
      // The same jti of another partner is another token.
      [{ ...used, partnerId: other.partnerId }, theirs, 'unused'],
      [aTokenUse(partner), nowhere, 'unused'],
      [aTokenUse(other), intent, 'unused'],
    ] as const;
    const alone: unknown[] = [];
    for (const [token, on] of questions) alone.push(await readToken(token, on));
    const many = Array.from({ length: 5 }, () => questions).flat();
    const together = await Promise.all(many.map(([token, on]) => readToken(token, on)));
    expect(together).toEqual(Array.from({ length: 5 }, () => alone).flat());
    expect(together.map(({ token }) => token)).toEqual(many.map(([, , state]) => state));
    expect(together.map((found) => found.intent?.intentId)).toEqual(
      many.map(([, on]) => (on === nowhere ? undefined : on.intentId)),
    );
  });
});

describe('signed reads that are made together', () => {
  it('are checked and answered each by itself', async () => {
    const leaving = await aPartner(bed);
    await revoke(leaving.key_id);
    const spent = partner.caller();
    await read(spent);
    const theirs = await anIntent(bed, other, { amountUsdCents: intent.amountUsdCents });
    const nowhere = { ...intent, intentId: anIntentId() };
    const before = await noncesIn();
    const cases: readonly (readonly [SignedCaller, PaymentIntent, string, PaymentIntent?])[] = [
      [partner.caller(), intent, 'claimed', intent],
      [other.caller(), theirs, 'claimed', theirs],
      // The API checks the owner.
      [other.caller(), intent, 'claimed', intent],
      [partner.caller(), nowhere, 'claimed'],
      [spent, intent, 'seen'],
      [leaving.caller(), intent, 'key_withdrawn'],
      [partner.caller({ address: '203.0.113.7' }), intent, 'address_withdrawn'],
      // Another partner may use the same nonce.
      [other.caller({ nonce: spent.nonce }), theirs, 'claimed', theirs],
      [partner.caller({ keyId: other.key_id }), intent, 'key_withdrawn'],
    ];
    const answers = await Promise.all(cases.map(([caller, target]) => read(caller, target)));
    expect(answers).toEqual(cases.map(([, , nonce, found]) => ({ nonce, intent: found })));
    expect(await noncesIn()).toBe(before + 5);
  });

  it('give an equal nonce to the first caller with valid credentials', async () => {
    const issued = await issueKey(bed, partner.partnerId, ANN);
    await revoke(issued.key_id);
    const good = partner.caller({ nonce: aNonce() });
    const answers = await Promise.all([
      read({ ...good, keyId: issued.key_id }),
      read(good),
      read(good),
    ]);
    expect(answers.map(({ nonce }) => nonce)).toEqual(['key_withdrawn', 'claimed', 'seen']);
    const intentIds = answers.map((one) => one.intent?.intentId);
    expect(intentIds).toEqual([undefined, intent.intentId, undefined]);
  });

  it('record nonces in the order of the nonces, so that two processes never deadlock', async () => {
    const last = partner.caller({ nonce: 'ff'.repeat(32) });
    const first = partner.caller({ nonce: '00'.repeat(32) });
    const { reads } = await bed.database.inTransaction(async (process) => {
      await spend(process, last);
      const together = Promise.all([read(last), read(first)]);
      await untilBlocked(process);
      await expect(wouldWait(bed.database, (other) => spend(other, first))).resolves.toBe(true);
      return { reads: together };
    });
    expect((await reads).map(({ nonce }) => nonce)).toEqual(['seen', 'claimed']);
  });
});

async function spend(connection: Queryable, { partnerId, nonce }: SignedCaller): Promise<void> {
  await connection.query({
    text: `insert into request_nonces (partner_id, nonce, seen_at)
           values ($1, decode($2, 'hex'), service_now())`,
    values: [partnerId, nonce],
  });
}

describe('when Postgres goes away', () => {
  it('only the callers of the lost statement fail', async () => {
    const proxy = await startCutProxy(bed.url);
    const cut = await openTestBed({
      on: { url: proxy.url, drop: () => proxy.close() },
      fundedUsdCents: 0,
    });
    const readTokenThere = () => cut.tokens.readToken(intent.intentId, partner.partnerId, aNonce());
    const readThere = () => cut.intents.findSigned(partner.caller(), intent.intentId);
    await Promise.all([readTokenThere(), readThere()]);
    const reads: Readonly<Record<string, () => Promise<unknown>>> = {
      'read-tokens': readTokenThere,
      'find-signed': readThere,
    };
    for (const [name, call] of Object.entries(reads)) {
      const lost = proxy.loseAnswerTo(name);
      const answers = await Promise.allSettled(Array.from({ length: 100 }, () => call()));
      await lost;
      const failed = answers.filter((one) => one.status === 'rejected');
      // One of two statements was lost.
      expect([36, 64]).toContain(failed.length);
      for (const { reason } of failed) expect(reason).toMatchObject({ code: 'unavailable' });
      await expect(call()).resolves.toBeDefined();
    }
    await cut.close();
  });
});
