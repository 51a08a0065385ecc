// Operations may close a payout for a minute (architecture, section 3, "Settlement"): nothing is sent while they have it
// judged, and nothing that may still be on its way is judged.
import { createPayoutGate } from '../../src/postgres/payout-gate';
import { createPayoutJournal } from '../../src/postgres/payout-journal';
import type { IntentId } from '../../src/domain/ids';
import { anIntent, openTestBed, times, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';
import { untilBlocked } from '../support/until-blocked';

let bed: TestBed;
let partner: TestPartner;

beforeAll(async () => {
  bed = await openTestBed();
  partner = await aPartner(bed);
});
afterAll(() => bed.close());
beforeEach(() => bed.setNow(NOON));

const gate = () => createPayoutGate(bed.database);
const after = (seconds: number) => bed.setNow(secondsAfter(NOON, seconds));
const failed = (intentId: IntentId, payoutAttempts: number) =>
  bed.intents.transition({
    ...{ intentId, from: 'authorized', event: 'fail', actor: 'ann' },
    payoutAttempts,
  } as const);

/** An authorized, debited intent whose payout was not begun. */
async function aDebited(): Promise<IntentId> {
  const { intentId, amountUsdCents } = await anIntent(bed, partner, { status: 'authorized' });
  await bed.funds.debit(intentId, amountUsdCents);
  return intentId;
}

/** The same, its payout sent at noon. */
async function aSentPayout(): Promise<IntentId> {
  const intentId = await aDebited();
  await bed.payoutJournal.beginAttempt(intentId);
  return intentId;
}

it('does not close before a whole attempt has passed since the last sending', async () => {
  const intentId = await aSentPayout();
  await after(15.999);
  await expect(gate().close(intentId)).resolves.toEqual({ outcome: 'too_soon', inMs: 1_000 });
  await after(10);
  await expect(gate().close(intentId)).resolves.toEqual({ outcome: 'too_soon', inMs: 6_000 });
  await after(16);
  await expect(gate().close(intentId)).resolves.toEqual({
    outcome: 'closed',
    attempts: 1,
    isTaken: false,
  });
});

it('closed, it lets no attempt begin for a minute, and then again', async () => {
  const intentId = await aSentPayout();
  await after(16);
  await gate().close(intentId);
  await after(75);
  await expect(bed.payoutJournal.beginAttempt(intentId)).resolves.toMatchObject({ kind: 'closed' });
  await after(76);
  await expect(bed.payoutJournal.beginAttempt(intentId)).resolves.toMatchObject({ kind: 'repeat' });
});

it('opened, it lets attempts begin at once', async () => {
  const intentId = await aSentPayout();
  await after(16);
  await gate().close(intentId);
  await gate().open(intentId);
  await expect(bed.payoutJournal.beginAttempt(intentId)).resolves.toMatchObject({ kind: 'repeat' });
});

it('of an attempt and a closing at the same moment, one is first and the other sees it', async () => {
  for (const intentId of await times(10, aSentPayout)) {
    await after(16);
    const [attempt, closing] = await Promise.all([
      bed.payoutJournal.beginAttempt(intentId),
      gate().close(intentId),
    ]);
    expect([`${attempt.kind} ${closing.outcome}`]).toContainEqual(
      expect.stringMatching(/^(repeat too_soon|closed closed)$/) as string,
    );
    await bed.setNow(NOON);
  }
});

it('declared declined, it does not fail once an attempt has begun since it was judged', async () => {
  const intentId = await aSentPayout();
  await after(16);
  const judged = await gate().close(intentId);
  const attempts = judged.outcome === 'closed' ? judged.attempts : 0;
  // The gate's minute is over, and a worker that was frozen begins.
  await after(80);
  await bed.payoutJournal.beginAttempt(intentId);
  await expect(failed(intentId, attempts)).resolves.toMatchObject({ status: 'authorized' });
  await expect(failed(intentId, attempts + 1)).resolves.toMatchObject({ status: 'failed' });
});

describe('that the provider has said to have it, while operations have it judged', () => {
  it('is seen by a closing that waited for it', async () => {
    const intentId = await aSentPayout();
    await after(16);
    const { closing } = await bed.database.inTransaction(async (connection) => {
      await createPayoutJournal(connection).noteTaken(intentId);
      const waiting = gate().close(intentId);
      await untilBlocked(connection);
      return { closing: waiting };
    });
    await expect(closing).resolves.toMatchObject({ outcome: 'closed', isTaken: true });
  });

  it('before that, is what was judged: it fails', async () => {
    const intentId = await aSentPayout();
    await bed.payoutJournal.noteTaken(intentId);
    await after(16);
    await gate().close(intentId);
    await expect(failed(intentId, 1)).resolves.toMatchObject({ status: 'failed' });
  });

  it.each(['noteTaken', 'open'] as const)('after it, lets it not fail: %s', async (how) => {
    const intentId = await aSentPayout();
    await after(16);
    await gate().close(intentId);
    await after(18);
    await (how === 'open' ? gate().open(intentId) : bed.payoutJournal.noteTaken(intentId));
    await expect(failed(intentId, 1)).resolves.toMatchObject({ status: 'authorized' });
  });
});

describe('a payout that was never begun', () => {
  it('has nothing to hold still, and fails', async () => {
    const intentId = await aDebited();
    const never = { outcome: 'closed', attempts: 0, isTaken: false };
    await expect(gate().close(intentId)).resolves.toEqual(never);
    await expect(failed(intentId, 0)).resolves.toMatchObject({ status: 'failed' });
  });

  it('does not fail once it has begun since it was judged', async () => {
    const intentId = await aDebited();
    await gate().close(intentId);
    await bed.payoutJournal.beginAttempt(intentId);
    await expect(failed(intentId, 0)).resolves.toMatchObject({ status: 'authorized' });
  });

  it('of an attempt and that end at the same moment, one is first and the other sees it', async () => {
    for (const intentId of await times(10, aDebited)) {
      const [attempt, end] = await Promise.all([
        bed.payoutJournal.beginAttempt(intentId),
        failed(intentId, 0),
      ]);
      expect(['first authorized', 'refused failed']).toContain(`${attempt.kind} ${end.status}`);
    }
  });
});
