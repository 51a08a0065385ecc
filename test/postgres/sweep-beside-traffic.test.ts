// Old nonces and tokens are dropped without ever locking out traffic (decisions 6 and 12): while a sweep holds the locks of
// what it drops, in a transaction that stays open, everybody else goes on. Whoever waited for it would be cut off by the
// statement timeout and fail here.
import type { Queryable } from '../../src/postgres/database';
import { createPaymentSweep } from '../../src/postgres/payment-sweep';
import {
  aCreateCommand,
  anIntent,
  aTokenUse,
  countOf,
  openTestBed,
  times,
  type TestBed,
} from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';

const OLD = 20;

let bed: TestBed;
let partner: TestPartner;

beforeAll(async () => {
  bed = await openTestBed({ poolSize: 12 });
  partner = await aPartner(bed);
});
afterAll(() => bed.close());
beforeEach(async () => {
  await bed.setNow(NOON);
  await bed.database.query({ text: 'truncate request_nonces, used_tokens' });
  await times(OLD, () => bed.replayGuard.claimNonce(partner.caller()));
  for (let made = 0; made < OLD; made += 1) await authorizeOne();
  await bed.setNow(secondsAfter(NOON, 86_400));
});

async function authorizeOne() {
  const { intentId } = await anIntent(bed, partner);
  const command = { intentId, from: 'created', event: 'authorize', actor: 'payer' } as const;
  const token = { ...aTokenUse(partner), expiresAtMs: bed.clock.now().getTime() + 600_000 };
  return bed.intents.transition({ ...command, token });
}

const nonces = () => countOf(bed, 'select count(*) from request_nonces');
const tokens = () => countOf(bed, 'select count(*) from used_tokens');

/** Works while a sweep has dropped that many of each and has not committed. */
function whileDropping<Result>(limit: number, work: () => Promise<Result>): Promise<Result> {
  return bed.database.inTransaction(async (connection: Queryable) => {
    const dropped = await createPaymentSweep(connection).dropExpired(limit);
    expect(dropped).toBe(2 * limit);
    return work();
  });
}

describe('while a sweep drops old nonces and tokens', () => {
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

  it('a second sweep passes over what the first has locked, and drops the rest', async () => {
    const rows = (await nonces()) + (await tokens());
    const locked = OLD / 2;
    const second = await whileDropping(locked, () => bed.sweep.dropExpired(1_000));
    expect(second).toBe(rows - 2 * locked);
    expect([await nonces(), await tokens()]).toEqual([0, 0]);
  });

  it('eight sweeps at once drop each row once', async () => {
    const rows = (await nonces()) + (await tokens());
    const dropped = await times(8, () => bed.sweep.dropExpired(5));
    const rest = await bed.sweep.dropExpired(1_000);
    expect(dropped.reduce((sum, some) => sum + some, rest)).toBe(rows);
    expect([await nonces(), await tokens()]).toEqual([0, 0]);
  });
});
