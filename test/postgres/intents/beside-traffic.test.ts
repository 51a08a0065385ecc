// A batch of expiries beside other traffic (decision 132): while its transaction has locked its
// rows, other payments continue, readers read, and indexes find its rows. A statement that waited
// for it would fail by the statement timeout.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { createPaymentClaims } from '../../../src/postgres/intents/claims';
import {
  aCreateCommand,
  anIntent,
  aTokenUse,
  countOf,
  intentsWithin,
  move,
  times,
} from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { withDatabase, withPartner } from '../../support/brackets';
import { addIntents, explaining } from '../../support/cost/query-plans';

describe('expiry beside traffic', () => {
  const LIFE_SECONDS = 60;
  const BATCH = 50;

  const bed = withDatabase({ poolSize: 12 });
  const partner = withPartner(bed);
  let overdue: readonly PaymentIntent[];
  beforeEach(async () => {
    await bed.setNow(NOON);
    overdue = await times(BATCH, () => anIntent(bed, partner, { timeToLiveSeconds: LIFE_SECONDS }));
    await bed.setNow(secondsAfter(NOON, LIFE_SECONDS));
  });

  const ids = () => overdue.map(({ intentId }) => intentId);

  /** Does the work after the batch has expired its rows and before it commits. */
  function whileExpiring<Result>(work: () => Promise<Result>): Promise<Result> {
    return bed.database.inTransaction(async (connection) => {
      await expect(intentsWithin(connection).expireOverdue(ids())).resolves.toBe(BATCH);
      return work();
    });
  }

  it('lets other payments be created, confirmed and cancelled', async () => {
    const outcomes = await whileExpiring(async () => {
      const others = await times(10, () => anIntent(bed, partner));
      await times(10, () => bed.intents.create(aCreateCommand(partner)));
      return Promise.all(
        others.map(async ({ intentId }, nth) => {
          const { outcome } = await (nth % 2 === 0
            ? move(bed, intentId, 'authorize', { token: aTokenUse(partner) })
            : move(bed, intentId, 'cancel'));
          return outcome;
        }),
      );
    });
    expect(outcomes).toEqual(Array(10).fill('did'));
  });

  it('lets its payments be read', async () => {
    const read = await whileExpiring(() => Promise.all(ids().map((id) => bed.intents.find(id))));
    expect(new Set(read.map((intent) => intent?.status))).toEqual(new Set(['created']));
  });

  it('lets a second batch skip the locked rows and expire the rest', async () => {
    const more = await times(5, () => anIntent(bed, partner, { timeToLiveSeconds: 0 }));
    const both = [...ids(), ...more.map(({ intentId }) => intentId)];
    await expect(whileExpiring(() => bed.intents.expireOverdue(both))).resolves.toBe(5);
  });

  it('finds its rows by indexes among 100 000', async () => {
    await addIntents(bed.database, partner.partnerId, 100_000);
    await bed.database.query({ text: 'vacuum analyze payment_intents' });
    const { database, plans } = explaining(bed.database);
    await createPaymentClaims(database).claimOverdue(1);
    await intentsWithin(database).expireOverdue([]);
    const [claim, expire] = plans;
    expect(claim).toMatch(/payment_intents_to_check.*Index Cond/);
    expect(expire).toMatch(/payment_intents_pkey.*Index Cond/);
    for (const plan of [claim, expire]) expect(plan).not.toContain('Seq Scan on payment_intents');
  });
});

// Old nonces and tokens are dropped without delaying traffic (decisions 6 and 12): while a poller
// has locked the rows that it drops, in a transaction that stays open, other requests continue. A
// request that waited for it would fail by the statement timeout.
describe('dropping beside traffic', () => {
  const OLD = 20;

  const bed = withDatabase({ poolSize: 12 });
  const partner = withPartner(bed);
  beforeEach(async () => {
    await bed.setNow(NOON);
    await bed.database.query({ text: 'truncate request_nonces, used_tokens' });
    await times(OLD, () => bed.replayGuard.claimNonce(partner.caller()));
    for (let made = 0; made < OLD; made += 1) await authorizeOne();
    await bed.setNow(secondsAfter(NOON, 86_400));
  });

  async function authorizeOne() {
    const { intentId } = await anIntent(bed, partner);
    const token = { ...aTokenUse(partner), expiresAtMs: bed.clock.now().getTime() + 600_000 };
    return move(bed, intentId, 'authorize', { token });
  }

  const nonces = () => countOf(bed, 'select count(*) from request_nonces');
  const tokens = () => countOf(bed, 'select count(*) from used_tokens');

  /** Does the work after a poller has dropped this many of each and before it commits. */
  function whileDropping<Result>(limit: number, work: () => Promise<Result>): Promise<Result> {
    return bed.database.inTransaction(async (connection) => {
      const dropped = await createPaymentClaims(connection).dropExpired(limit);
      expect(dropped).toBe(2 * limit);
      return work();
    });
  }

  describe('while a poller drops old nonces and tokens', () => {
    it('fresh nonces are claimed', async () => {
      const claims = await whileDropping(OLD, () =>
        times(10, () => bed.replayGuard.claimNonce(partner.caller())),
      );
      expect(new Set(claims)).toEqual(new Set(['claimed']));
    });

    it('intents are created, and confirmed with fresh tokens', async () => {
      const reports = await whileDropping(OLD, async () => {
        await times(10, () => bed.intents.create(aCreateCommand(partner)));
        return times(5, authorizeOne);
      });
      expect(reports.map(({ outcome }) => outcome)).toEqual(Array(5).fill('did'));
      expect(await tokens()).toBe(5);
    });

    it('a second poller skips the rows that the first has locked, and drops the rest', async () => {
      const rows = (await nonces()) + (await tokens());
      const locked = OLD / 2;
      const second = await whileDropping(locked, () => bed.claims.dropExpired(1_000));
      expect(second).toBe(rows - 2 * locked);
      expect([await nonces(), await tokens()]).toEqual([0, 0]);
    });

    it('eight pollers at once drop each row once', async () => {
      const rows = (await nonces()) + (await tokens());
      const dropped = await times(8, () => bed.claims.dropExpired(5));
      const rest = await bed.claims.dropExpired(1_000);
      expect(dropped.reduce((sum, some) => sum + some, rest)).toBe(rows);
      expect([await nonces(), await tokens()]).toEqual([0, 0]);
    });
  });
});
