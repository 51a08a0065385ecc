// What operations declare is judged against what the provider says (architecture, section 3, "Settlement"): a payment that
// was made, or may still be made, is never declared declined.
import { createResolutionActivities, type VerifiedResolution } from '../../activities/resolution';
import type { PayoutLock } from '../../src/ports/payouts/journal';
import { createPayoutLock } from '../../src/postgres/payouts/lock';
import { anIntent } from '../support/builders';
import { withDatabase, withPartner } from '../support/brackets';
import { NOON, secondsAfter } from '../support/clock';
import { scriptedProviders, type ScriptedOutcome } from '../support/payments/scripted-provider';
import { SILENT } from '../support/silent-log';
import { beginAttempt, recordSent } from '../support/payments/payouts';

/** A whole sending (src/domain/limits.ts): what was sent then has landed or never will. */
const SENDING_SECONDS = 6;

const bed = withDatabase();
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

/** A payout that was sent at noon and not answered. */
async function anUnknownPayout(
  resolvedAs: VerifiedResolution['resolvedAs'],
): Promise<VerifiedResolution> {
  const intent = await anIntent(bed, partner, { status: 'authorized' });
  const { intentId, amountUsdCents, corridor } = intent;
  await bed.funds.debit(intentId, amountUsdCents);
  await recordSent(bed, intentId);
  return { intentId, amountUsdCents, corridor, resolvedAs };
}

/** Judges when a whole sending has gone by, unless another time is given, while the provider says this. */
async function judge(
  payout: VerifiedResolution,
  says: ScriptedOutcome,
  {
    seconds = SENDING_SECONDS,
    gate,
  }: { readonly seconds?: number; readonly gate?: Partial<PayoutLock> } = {},
) {
  await bed.setNow(secondsAfter(NOON, seconds));
  const { verifyResolution } = createResolutionActivities({
    providers: scriptedProviders([says], []),
    payoutLock: { ...createPayoutLock(bed.database), ...gate },
    rechecks: bed.rechecks,
    log: SILENT,
  });
  return verifyResolution(payout);
}

const nextAttempt = async ({ intentId }: VerifiedResolution) =>
  (await beginAttempt(bed, intentId)).kind;
const ACCEPTED = { rejection: null };

describe('a payout declared declined', () => {
  let payout: VerifiedResolution;
  beforeEach(async () => {
    payout = await anUnknownPayout('declined');
  });

  it.each([0, SENDING_SECONDS - 0.001])(
    'is not judged %d s after it was sent: it may still be on its way',
    async (seconds) => {
      await expect(judge(payout, 'declined', { seconds })).rejects.toMatchObject({
        ...{ type: 'PayoutUnderWay', nonRetryable: false },
      });
      await expect(nextAttempt(payout)).resolves.toBe('begun');
    },
  );

  it.each(['paid', 'pending'] as const)(
    'is refused while the provider says %s, and is asked about further',
    async (says) => {
      const rejection = `The provider says ${says}.`;
      await expect(judge(payout, says)).resolves.toMatchObject({ rejection });
      await expect(nextAttempt(payout)).resolves.toBe('begun');
    },
  );

  it.each(['declined', 'not_found', 'unknown'] as const)(
    'is accepted when the provider says %s, and nothing is sent any more until that is written',
    async (says) => {
      await expect(judge(payout, says)).resolves.toMatchObject(ACCEPTED);
      await expect(nextAttempt(payout)).resolves.toBe('closed');
    },
  );

  it.each(['unknown', 'not_found'] as const)(
    'is refused while the provider says %s, if it has said before that it has the payout',
    async (says) => {
      await bed.payoutJournal.markAccepted(payout.intentId);
      await expect(judge(payout, says)).resolves.toEqual({
        rejection:
          'The provider has called it paid or pending before, and does not call it declined now. Repeat the command when it does; if it never will, see --provider-is-gone.',
        payoutAttempts: null,
      });
      await expect(nextAttempt(payout)).resolves.toBe('begun');
    },
  );

  it('is accepted when the provider says declined by now, whatever it said before', async () => {
    await bed.payoutJournal.markAccepted(payout.intentId);
    await expect(judge(payout, 'declined')).resolves.toMatchObject(ACCEPTED);
  });

  it.each(['paid', 'pending'] as const)(
    'is refused while the provider is silent, if operations were refused because it said %s',
    async (says) => {
      await judge(payout, says);
      await expect(judge(payout, 'unknown')).resolves.toMatchObject({
        rejection: expect.stringContaining('does not call it declined now') as string,
      });
    },
  );

  it('is accepted over that silence where operations say that the provider is gone for good', async () => {
    await bed.payoutJournal.markAccepted(payout.intentId);
    const gone = { ...payout, isProviderGone: true };
    await expect(judge(gone, 'unknown')).resolves.toMatchObject(ACCEPTED);
    await expect(judge(gone, 'paid')).resolves.toMatchObject({
      rejection: 'The provider says paid.',
    });
  });

  it('is refused by what the provider has just said, also where that cannot be kept', async () => {
    const gate = { unlockAsAccepted: () => Promise.reject(new Error('Postgres is away')) };
    await expect(judge(payout, 'paid', { gate })).resolves.toEqual({
      ...{ rejection: 'The provider says paid.', payoutAttempts: null },
    });
  });

  it('judged again, since its answer was lost, is judged alike', async () => {
    await judge(payout, 'unknown');
    await expect(judge(payout, 'unknown')).resolves.toMatchObject(ACCEPTED);
    await expect(judge(payout, 'paid')).resolves.toMatchObject({
      rejection: 'The provider says paid.',
    });
  });
});

it('a payout declared paid is accepted at once: nothing is given back', async () => {
  const payout = await anUnknownPayout('paid');
  await expect(judge(payout, 'unknown', { seconds: 0 })).resolves.toMatchObject(ACCEPTED);
});
