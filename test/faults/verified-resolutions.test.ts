// Manual resolutions are verified against the provider's answer (architecture, section 3,
// "Settlement"): a payout that was executed, or may still be, is never resolved as declined.
import { createResolutionActivities, type VerifiedResolution } from '../../activities/resolution';
import type { ResolvedOutcome } from '../../src/domain/intents/manual-resolution';
import type { PayoutLock } from '../../src/ports/payouts';
import { createPayoutLock } from '../../src/postgres/payouts/lock';
import { byCorridor } from '../../src/corridors/names';
import type { Abilities } from '../../src/domain/payouts/permissions';
import { recorded, SURE } from '../support/payments/answers';
import { anIntent } from '../support/builders';
import { withDatabase, withPartner } from '../support/brackets';
import { NOON, secondsAfter } from '../support/clock';
import { scriptedProviders, type ScriptedOutcome } from '../support/payments/scripted-provider';
import { SILENT } from '../support/silent-log';
import { beginAttempt, recordSent } from '../support/payments/payouts';

/** The longest sending (src/domain/limits.ts): after it, an order has arrived or never will. */
const SENDING_SECONDS = 6;

const bed = withDatabase();
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

/** A payout that was sent at noon and got no answer. */
async function anUnknownPayout(outcome: ResolvedOutcome): Promise<VerifiedResolution> {
  const intent = await anIntent(bed, partner, { status: 'authorized' });
  const { intentId, amountUsdCents, corridor } = intent;
  await bed.funds.debit(intentId, amountUsdCents);
  await recordSent(bed, intentId);
  const resolution = { outcome, actor: 'ann', evidence: 'by letter' };
  return { intentId, amountUsdCents, corridor, resolution, hasBegun: true };
}

interface Verifying {
  readonly seconds?: number;
  readonly lock?: Partial<PayoutLock>;
  readonly abilities?: Partial<Abilities>;
}

/** Verifies after the longest sending by default, while the provider gives this answer. */
async function verify(
  payout: VerifiedResolution,
  says: ScriptedOutcome | readonly ScriptedOutcome[],
  { seconds = SENDING_SECONDS, lock, abilities }: Verifying = {},
) {
  await bed.setNow(secondsAfter(NOON, seconds));
  const { th_qrpay: scripted } = scriptedProviders([says].flat(), []);
  const { verifyResolution } = createResolutionActivities({
    providers: byCorridor(() => ({ ...scripted, abilities: { ...SURE, ...abilities } })),
    formerProviders: {},
    payoutJournal: bed.payoutJournal,
    payoutLock: { ...createPayoutLock(bed.database), ...lock },
    rechecks: bed.rechecks,
    pause: () => Promise.resolve(),
    log: SILENT,
  });
  return verifyResolution(payout);
}

const nextAttempt = async ({ intentId }: VerifiedResolution) =>
  (await beginAttempt(bed, intentId)).kind;
const ACCEPTED = null;

describe('a payout resolved as declined', () => {
  let payout: VerifiedResolution;
  beforeEach(async () => {
    payout = await anUnknownPayout('declined');
  });

  it.each([0, SENDING_SECONDS - 0.001])(
    'is not verified %d s after it was sent: the order may still be on its way',
    async (seconds) => {
      await expect(verify(payout, 'declined', { seconds })).rejects.toMatchObject({
        ...{ type: 'PayoutUnderWay', nonRetryable: false },
      });
      await expect(nextAttempt(payout)).resolves.toBe('begun');
    },
  );

  it.each(['paid', 'pending'] as const)(
    'is rejected while the provider says %s, and further attempts may begin',
    async (says) => {
      const rejection = `The provider says ${says}.`;
      await expect(verify(payout, says)).resolves.toBe(rejection);
      await expect(nextAttempt(payout)).resolves.toBe('begun');
    },
  );

  it.each(['declined', 'not_found'] as const)(
    'is accepted when the provider says %s, and locks the payout until that is written',
    async (says) => {
      await expect(verify(payout, says)).resolves.toBe(ACCEPTED);
      await expect(nextAttempt(payout)).resolves.toBe('locked');
    },
  );

  it('is accepted when the provider says returned', async () => {
    await expect(verify(payout, 'returned')).resolves.toBe(ACCEPTED);
  });

  it.each(['same', 'refused', 'unsafe'] as const)(
    'is rejected if the provider does not know the key, and that is no proof (%s)',
    async (repeat) => {
      const abilities = { repeat, notFoundIsProof: false };
      await expect(verify(payout, 'not_found', { abilities })).resolves.toMatch(/no proof/);
      const gone = { ...payout, resolution: { ...payout.resolution, isProviderGone: true } };
      await expect(verify(gone, 'not_found', { abilities })).resolves.toBe(ACCEPTED);
    },
  );

  it('is rejected at the first decline if the provider may revoke it', async () => {
    const abilities = { declineIsFinal: false };
    await expect(verify(payout, 'declined', { abilities })).resolves.toMatch(/has declined it/);
    await bed.payoutJournal.recordAnswer(payout.intentId, 1, recorded('declined'));
    const later = { abilities, seconds: 2 * SENDING_SECONDS };
    await expect(verify(payout, 'declined', later)).resolves.toBe(ACCEPTED);
  });

  it('is accepted after silence, once the provider denies the key', async () => {
    await verify(payout, 'unknown');
    await expect(verify(payout, 'not_found')).resolves.toBe(ACCEPTED);
  });

  it.each([['unknown'], ['not_found', 'unknown']] as const)(
    'is rejected while the provider is silent after %s, and further attempts may begin',
    async (...says) => {
      await expect(verify(payout, says)).resolves.toMatch(/^The provider does not answer\./);
      await expect(nextAttempt(payout)).resolves.toBe('begun');
    },
  );

  it('is rejected if a provider that was paused has paid by its second answer', async () => {
    const rejection = 'The provider says paid.';
    await expect(verify(payout, ['not_found', 'paid'])).resolves.toBe(rejection);
  });

  it.each(['unknown', 'not_found'] as const)(
    'is rejected while the provider says %s, if the provider had accepted the payout before',
    async (says) => {
      await bed.payoutJournal.recordAnswer(payout.intentId, 1, recorded('pending'));
      await expect(verify(payout, says)).resolves.toBe(
        'The provider has accepted it before, and does not call it declined now. Repeat the command when it does; if it never will, see --provider-is-gone.',
      );
      await expect(nextAttempt(payout)).resolves.toBe('begun');
    },
  );

  it('is accepted when the provider says declined now, whatever it said before', async () => {
    await bed.payoutJournal.recordAnswer(payout.intentId, 1, recorded('pending'));
    await expect(verify(payout, 'declined')).resolves.toBe(ACCEPTED);
  });

  it.each(['paid', 'pending'] as const)(
    'is rejected while the provider is silent, if it was rejected before because the provider said %s',
    async (says) => {
      await verify(payout, says);
      await expect(verify(payout, 'unknown')).resolves.toContain('does not call it declined now');
    },
  );

  it('is accepted despite that silence if operators report that the provider is gone', async () => {
    await bed.payoutJournal.recordAnswer(payout.intentId, 1, recorded('pending'));
    const gone = { ...payout, resolution: { ...payout.resolution, isProviderGone: true } };
    await expect(verify(gone, 'unknown')).resolves.toBe(ACCEPTED);
    await expect(verify(gone, 'paid')).resolves.toBe('The provider says paid.');
  });

  it('is rejected by the answer of the provider even if that answer cannot be stored', async () => {
    const lock = { unlock: () => Promise.reject(new Error('Postgres is away')) };
    await expect(verify(payout, 'paid', { lock })).resolves.toBe('The provider says paid.');
  });

  it('is verified with the same result when its answer was lost', async () => {
    await verify(payout, 'not_found');
    await expect(verify(payout, 'not_found')).resolves.toBe(ACCEPTED);
    await expect(verify(payout, 'paid')).resolves.toBe('The provider says paid.');
  });
});

it('a payout resolved as paid is accepted at once, because no money is given back', async () => {
  const payout = await anUnknownPayout('paid');
  await expect(verify(payout, 'unknown', { seconds: 0 })).resolves.toBe(ACCEPTED);
});
