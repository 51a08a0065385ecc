// What operations declare about a payout whose outcome the provider has not told (architecture, section 3,
// "Settlement"): judged against a fresh question before it is written, and compared with later answers after.
import {
  contradictionOf,
  NEVER_CONFIRMED,
  type ManualResolution,
  type ResolvedOutcome,
} from '../src/domain/intents/manual-resolution';
import type { IntentId } from '../src/domain/ids';
import type { Log } from '../src/ports/log';
import type { PayoutLock } from '../src/ports/payouts/journal';
import type { PayoutOutcome } from '../src/ports/payouts/provider';
import type { PaymentDependencies } from './dependencies';
import { payoutUnderWay, payoutUnknown } from './failures';
import { questionOf, type PayoutSubject } from './payout-subject';

export interface ResolvedPayoutSubject extends PayoutSubject {
  readonly resolvedAs: ManualResolution;
}

export interface VerifiedResolution extends PayoutSubject {
  readonly resolvedAs: ResolvedOutcome;
  /** Operations know that the provider will never call it declined: what it has said before is overridden. */
  readonly isProviderGone?: boolean;
}

export interface Verification {
  /** Why it is not accepted, in a sentence. */
  readonly rejection: string | null;
  /** With a payout that was declared declined: it may be written only while no attempt has begun since. */
  readonly payoutAttempts: number | null;
}

export function createResolutionActivities({
  providers,
  payoutLock,
  rechecks,
  log,
}: Pick<PaymentDependencies, 'providers' | 'payoutLock' | 'rechecks' | 'log'>) {
  const ask = (payout: ResolvedPayoutSubject) =>
    providers[payout.corridor].find(questionOf(payout));
  return {
    /**
     * Whether the declaration may be written. What may still be on its way is waited for.
     * @throws PayoutUnderWay with the time to wait
     */
    async verifyResolution(payout: VerifiedResolution): Promise<Verification> {
      // A capture gives nothing back: what is sent or lands meanwhile is the payment that was declared.
      if (payout.resolvedAs === 'paid') return { rejection: null, payoutAttempts: null };
      const gate = await payoutLock.lock(payout.intentId);
      if (gate.outcome === 'too_soon') throw payoutUnderWay(gate.inMs);
      const rejection = rejectionBy(await ask(payout), gate, payout.isProviderGone === true);
      if (rejection === null) return { rejection, payoutAttempts: gate.attempts };
      await openAgain(payoutLock, payout.intentId, log);
      return { rejection, payoutAttempts: null };
    },

    /**
     * What speaks against the declaration, or null when nothing does; the row says by then that people must look. A provider that
     * has not answered for a day speaks against what operations declared; one that knows no such order speaks against `paid` alone.
     * @throws PayoutUnknown while the provider has not answered and the day is not over: to be retried
     */
    async recheckResolution(payout: ResolvedPayoutSubject): Promise<string | null> {
      const { intentId, resolvedAs } = payout;
      const attentionOf = (finding: string | null) =>
        finding === null ? null : contradictionOf(resolvedAs, finding);
      const compared = compare(payout, await ask(payout));
      if ('finding' in compared) {
        await rechecks.end(intentId, attentionOf(compared.finding));
        return compared.finding;
      }
      const silence = isWordMissing(resolvedAs, compared) ? NEVER_CONFIRMED : null;
      const isOver = await rechecks.endAfterDay(intentId, attentionOf(silence));
      if (!isOver) throw payoutUnknown(compared.cause);
      return silence;
    },
  };
}

/** What the provider has just said is not forgotten with a Postgres that is away: asked again, it might be silent. */
async function openAgain(gate: PayoutLock, intentId: IntentId, log: Log): Promise<void> {
  try {
    await gate.unlockAsAccepted(intentId);
  } catch (error) {
    log.warn({ intent_id: intentId, err: error }, 'the payout opens by itself in a minute');
  }
}

/**
 * Why a payout may not be declared declined. What the provider has said before, only its own "declined" takes back; of what was
 * never begun by the row, which a restore may have made forget, its silence says nothing.
 */
function rejectionBy(
  { outcome }: PayoutOutcome,
  { isAccepted, attempts }: { readonly isAccepted: boolean; readonly attempts: number },
  isProviderGone: boolean,
): string | null {
  if (outcome === 'paid' || outcome === 'pending') return `The provider says ${outcome}.`;
  if (isProviderGone || outcome === 'declined') return null;
  if (isAccepted) return TAKEN;
  return attempts === 0 && outcome === 'unknown' ? SILENT : null;
}

const SILENT =
  'The provider does not answer, and the row knows of no payout, which a restored database may have forgotten. Repeat the command when it does; if it never will, see --provider-is-gone.';

const TAKEN =
  'The provider has called it paid or pending before, and does not call it declined now. Repeat the command when it does; if it never will, see --provider-is-gone.';

/** Of a payout declared declined the provider need not know, but it has to have said so. Of one that was cancelled it has. */
function isWordMissing(
  resolvedAs: ManualResolution,
  { isSilent }: { readonly isSilent: boolean },
): boolean {
  return resolvedAs === 'paid' || (resolvedAs === 'declined' && isSilent);
}

type Compared =
  { readonly finding: string | null } | { readonly cause: string; readonly isSilent: boolean };

function compare(payout: ResolvedPayoutSubject, answer: PayoutOutcome): Compared {
  switch (answer.outcome) {
    case 'paid':
    case 'declined':
      return { finding: differenceOf(payout, answer) };
    case 'pending':
      if (payout.resolvedAs !== 'paid') return { finding: 'the provider says pending.' };
      return { cause: 'the provider says it is pending', isSilent: false };
    case 'not_found':
      return { cause: 'the order is not known to it', isSilent: false };
    case 'unknown':
      return { cause: answer.cause, isSilent: true };
  }
}

function differenceOf(
  { resolvedAs, amountUsdCents }: ResolvedPayoutSubject,
  answer: Extract<PayoutOutcome, { readonly amountUsdCents: number }>,
): string | null {
  if (answer.outcome !== (resolvedAs === 'paid' ? 'paid' : 'declined'))
    return `the provider says ${answer.outcome}.`;
  if (answer.amountUsdCents === amountUsdCents) return null;
  return `the provider reports ${String(answer.amountUsdCents)} cents where ${String(amountUsdCents)} were ordered.`;
}
