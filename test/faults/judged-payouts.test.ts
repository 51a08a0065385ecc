// What operations declare is judged against what the provider says (architecture, section 3, "Settlement"): a payment that
// was made, or may still be made, is never declared declined.
import { createResolutionActivities, type JudgedPayout } from '../../activities/resolution';
import type { PayoutGate } from '../../src/ports/payout-journal';
import { createPayoutGate } from '../../src/postgres/payout-gate';
import { anIntent, openTestBed, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';
import { scriptedProviders, type ScriptedOutcome } from '../support/scripted-provider';
import { SILENT } from '../support/silent-log';

/** A whole attempt (src/domain/limits.ts): what was sent then has landed or never will. */
const ATTEMPT_SECONDS = 16;

let bed: TestBed;
let partner: TestPartner;
beforeAll(async () => {
  bed = await openTestBed();
  partner = await aPartner(bed);
});
afterAll(() => bed.close());
beforeEach(() => bed.setNow(NOON));

/** A payout that was sent at noon and not answered. */
async function anUnknownPayout(declared: JudgedPayout['declared']): Promise<JudgedPayout> {
  const intent = await anIntent(bed, partner, { status: 'authorized' });
  const { intentId, amountUsdCents, corridor } = intent;
  await bed.funds.debit(intentId, amountUsdCents);
  await bed.payoutJournal.beginAttempt(intentId);
  return { intentId, amountUsdCents, corridor, declared };
}

/** Judges when that many seconds have gone by, while the provider says this. */
async function judge(
  payout: JudgedPayout,
  seconds: number,
  says: ScriptedOutcome,
  gate: Partial<PayoutGate> = {},
) {
  await bed.setNow(secondsAfter(NOON, seconds));
  const { judgeResolution } = createResolutionActivities({
    providers: scriptedProviders([says], []),
    payoutGate: { ...createPayoutGate(bed.database), ...gate },
    comparisons: bed.comparisons,
    log: SILENT,
  });
  return judgeResolution(payout);
}

const nextAttempt = async ({ intentId }: JudgedPayout) =>
  (await bed.payoutJournal.beginAttempt(intentId)).kind;

describe('a payout declared declined', () => {
  it.each([0, ATTEMPT_SECONDS - 0.001])(
    'is not judged %d s after it was sent: it may still be on its way',
    async (seconds) => {
      const payout = await anUnknownPayout('declined');
      await expect(judge(payout, seconds, 'declined')).rejects.toMatchObject({
        type: 'PayoutUnderWay',
        nonRetryable: false,
      });
      await expect(nextAttempt(payout)).resolves.toBe('repeat');
    },
  );

  it.each(['paid', 'pending'] as const)(
    'is refused while the provider says %s, and is asked about further',
    async (says) => {
      const payout = await anUnknownPayout('declined');
      const refusal = `The provider says ${says}.`;
      await expect(judge(payout, ATTEMPT_SECONDS, says)).resolves.toMatchObject({ refusal });
      await expect(nextAttempt(payout)).resolves.toBe('repeat');
    },
  );

  it.each(['declined', 'not_found', 'unknown'] as const)(
    'is accepted when the provider says %s, and nothing is sent any more until that is written',
    async (says) => {
      const payout = await anUnknownPayout('declined');
      const judged = judge(payout, ATTEMPT_SECONDS, says);
      await expect(judged).resolves.toMatchObject({ refusal: null });
      await expect(nextAttempt(payout)).resolves.toBe('closed');
    },
  );

  it.each(['unknown', 'not_found'] as const)(
    'is refused while the provider says %s, if it has said before that it has the payout',
    async (says) => {
      const payout = await anUnknownPayout('declined');
      await bed.payoutJournal.noteTaken(payout.intentId);
      await expect(judge(payout, ATTEMPT_SECONDS, says)).resolves.toEqual({
        refusal:
          'The provider has called it paid or pending before, and does not call it declined now. Repeat the command when it does; if it never will, see --provider-is-gone.',
        payoutAttempts: null,
      });
      await expect(nextAttempt(payout)).resolves.toBe('repeat');
    },
  );

  it('is accepted when the provider says declined by now, whatever it said before', async () => {
    const payout = await anUnknownPayout('declined');
    await bed.payoutJournal.noteTaken(payout.intentId);
    await expect(judge(payout, ATTEMPT_SECONDS, 'declined')).resolves.toMatchObject({
      refusal: null,
    });
  });

  it.each(['paid', 'pending'] as const)(
    'is refused while the provider is silent, if operations were refused because it said %s',
    async (says) => {
      const payout = await anUnknownPayout('declined');
      await judge(payout, ATTEMPT_SECONDS, says);
      await expect(judge(payout, ATTEMPT_SECONDS, 'unknown')).resolves.toMatchObject({
        refusal: expect.stringContaining('does not call it declined now') as string,
      });
    },
  );

  it('is accepted over that silence where operations say that the provider is gone for good', async () => {
    const payout = await anUnknownPayout('declined');
    await bed.payoutJournal.noteTaken(payout.intentId);
    const gone = { ...payout, isProviderGone: true };
    await expect(judge(gone, ATTEMPT_SECONDS, 'unknown')).resolves.toMatchObject({ refusal: null });
    await expect(judge(gone, ATTEMPT_SECONDS, 'paid')).resolves.toMatchObject({
      refusal: 'The provider says paid.',
    });
  });

  it('is refused by what the provider has just said, also where that cannot be kept', async () => {
    const payout = await anUnknownPayout('declined');
    const open = () => Promise.reject(new Error('Postgres is away'));
    await expect(judge(payout, ATTEMPT_SECONDS, 'paid', { open })).resolves.toEqual({
      refusal: 'The provider says paid.',
      payoutAttempts: null,
    });
  });

  it('judged again, since its answer was lost, is judged alike', async () => {
    const payout = await anUnknownPayout('declined');
    await judge(payout, ATTEMPT_SECONDS, 'unknown');
    await expect(judge(payout, ATTEMPT_SECONDS, 'unknown')).resolves.toMatchObject({
      refusal: null,
    });
    await expect(judge(payout, ATTEMPT_SECONDS, 'paid')).resolves.toMatchObject({
      refusal: 'The provider says paid.',
    });
  });
});

it('a payout declared paid is accepted at once: nothing is given back', async () => {
  const payout = await anUnknownPayout('paid');
  await expect(judge(payout, 0, 'unknown')).resolves.toMatchObject({ refusal: null });
});
