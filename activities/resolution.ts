// Manual resolution of a payout: verified by a query to the provider before it is written, and
// rechecked against later answers (architecture, section 3, "Settlement").
import {
  contradictionOf,
  NEVER_CONFIRMED,
  type ManualResolution,
  type Resolution,
} from '../src/domain/intents/manual-resolution';
import type { IntentId } from '../src/domain/ids';
import type { Log } from '../src/ports/observe';
import {
  permissionsOf,
  type Abilities,
  type PayoutRecord,
} from '../src/domain/payouts/permissions';
import type { PayoutFacts, QueryAnswer } from '../src/ports/payout-provider';
import type { PayoutLock } from '../src/ports/payouts';
import type { PaymentDependencies } from './dependencies';
import { payoutUnderWay, payoutUnknown } from './failures';
import {
  differenceOf,
  query,
  queryTwice,
  type OrderedPayout,
  type PayoutSubject,
} from './payout-decision';

export interface ResolvedPayoutSubject extends PayoutSubject {
  readonly resolvedAs: ManualResolution;
}

export interface VerifiedResolution extends PayoutSubject {
  readonly resolution: Resolution;
  /** The workflow has sent the payout, so a row without an attempt was restored. */
  readonly hasBegun: boolean;
}

type ResolutionDependencies = Pick<
  PaymentDependencies,
  | ('providers' | 'formerProviders' | 'payoutJournal' | 'payoutLock' | 'rechecks')
  | ('pause' | 'log')
>;

export function createResolutionActivities(dependencies: ResolutionDependencies) {
  const { payoutJournal, payoutLock, rechecks, log } = dependencies;
  return {
    /**
     * Why the resolution may not be written, in a sentence, or null. For `declined` it locks the
     * payout for a minute and records the verification, without which it cannot be written.
     * @throws PayoutUnderWay, with the time to wait, while a request may still be on its way
     */
    async verifyResolution(payout: VerifiedResolution): Promise<string | null> {
      const { intentId, resolution } = payout;
      // `paid` releases no money: a request that arrives meanwhile is the payout that was declared.
      if (resolution.outcome === 'paid') return null;
      const lock = await payoutLock.lock(intentId);
      if (lock.outcome === 'too_soon') throw payoutUnderWay(lock.inMs);
      const { attempts, record } = lock;
      if (attempts === 0 && payout.hasBegun) return ATTEMPT_FORGOTTEN;
      const order = await payoutJournal.readOrder(intentId);
      const { answer, abilities } = await queryTwice({ ...payout, order }, dependencies);
      const isGone = resolution.isProviderGone === true;
      const rejection = rejectionBy(answer, { record, abilities, isGone });
      if (rejection === null) await payoutLock.recordVerified(intentId, { resolution, attempts });
      else await unlock(payoutLock, intentId, { isAccepted: isAcceptance(answer), log });
      return rejection;
    },

    /**
     * The provider's contradiction of the resolution, or null; attention is raised before it
     * returns. A provider that stays silent for a day contradicts it; one that does not know the
     * key contradicts `paid` only.
     * @throws PayoutUnknown, which is retried, while the answer is open and the day is not over
     */
    async recheckResolution(payout: ResolvedPayoutSubject): Promise<string | null> {
      const { intentId, resolvedAs } = payout;
      const attentionOf = (finding: string | null) =>
        finding === null ? null : contradictionOf(resolvedAs, finding);
      const order = await payoutJournal.readOrder(intentId);
      const { answer, abilities } = await query({ ...payout, order }, dependencies);
      const recheck = recheckAgainst({ ...payout, order }, answer, abilities);
      if ('finding' in recheck) {
        await rechecks.finish(intentId, attentionOf(recheck.finding));
        return recheck.finding;
      }
      const silence = isAnswerMissing(resolvedAs, recheck) ? NEVER_CONFIRMED : null;
      const isOver = await rechecks.finishAfterDay(intentId, attentionOf(silence));
      if (!isOver) throw payoutUnknown(recheck.cause);
      return silence;
    },
  };
}

/** Never throws: a retry would query again, and the provider might not repeat its answer. */
async function unlock(
  payoutLock: PayoutLock,
  intentId: IntentId,
  { isAccepted, log }: { readonly isAccepted: boolean; readonly log: Log },
): Promise<void> {
  try {
    await payoutLock.unlock(intentId, isAccepted);
  } catch (error) {
    log.warn({ intent_id: intentId, err: error }, 'unlock failed; the lock expires in a minute');
  }
}

function isAcceptance({ outcome }: QueryAnswer): boolean {
  return outcome === 'paid' || outcome === 'pending';
}

interface Verified {
  readonly record: PayoutRecord;
  readonly abilities: Abilities;
  readonly isGone: boolean;
}

/**
 * Why a payout may not be resolved as declined. The provider's silence proves nothing, whatever the
 * operator has read elsewhere. Once it has accepted the payout, only its own "declined" or
 * "returned" permits that.
 */
function rejectionBy(answer: QueryAnswer, { record, abilities, isGone }: Verified): string | null {
  const { outcome } = answer;
  if (isAcceptance(answer)) return `The provider says ${outcome}.`;
  const isPermitted = permissionsOf(outcome, record, abilities).release;
  if (isGone || isPermitted || outcome === 'returned') return null;
  if (outcome === 'declined') return DECLINED_ONCE;
  if (record.isAccepted) return ACCEPTED;
  return outcome === 'unknown' ? SILENT : NO_PROOF;
}

const SILENT =
  'The provider does not answer. Repeat the command when it does; if it never will, see --provider-is-gone.';

const NO_PROOF =
  'The provider does not know the key, and that is no proof that it will never pay. If it has confirmed that to you, see --provider-is-gone.';

const DECLINED_ONCE =
  'The provider has declined it, and may still change that. Repeat the command in ten seconds.';

const ATTEMPT_FORGOTTEN =
  'This workflow has sent the payout, but its row has no attempt: a database was restored. See docs/restore.md.';

const ACCEPTED =
  'The provider has accepted it before, and does not call it declined now. Repeat the command when it does; if it never will, see --provider-is-gone.';

/**
 * `paid` needs the provider's "paid". `declined` needs any answer, "unknown key" included. A cancel
 * got its answer before it was written.
 */
function isAnswerMissing(
  resolvedAs: ManualResolution,
  { isSilent }: { readonly isSilent: boolean },
): boolean {
  return resolvedAs === 'paid' || (resolvedAs === 'declined' && isSilent);
}

type RecheckedPayout = ResolvedPayoutSubject & OrderedPayout;

type Recheck =
  { readonly finding: string | null } | { readonly cause: string; readonly isSilent: boolean };

/** What does not contradict a resolution. A provider that is still undecided may pay. */
const AGREES: Readonly<Record<ManualResolution, readonly QueryAnswer['outcome'][]>> = {
  paid: ['paid'],
  declined: ['declined', 'returned'],
  cancelled: ['declined'],
};

/** What decides nothing yet. A decline may be revoked. */
function isOpen(
  outcome: QueryAnswer['outcome'],
  resolvedAs: ManualResolution,
  { declineIsFinal }: Abilities,
): boolean {
  if (outcome === 'declined') return resolvedAs !== 'paid' && !declineIsFinal;
  return outcome === 'not_found' || (outcome === 'pending' && resolvedAs === 'paid');
}

function recheckAgainst(
  payout: RecheckedPayout,
  answer: QueryAnswer,
  abilities: Abilities,
): Recheck {
  const { outcome } = answer;
  const { resolvedAs } = payout;
  if (outcome === 'unknown') return { cause: answer.cause, isSilent: true };
  if (isOpen(outcome, resolvedAs, abilities))
    return { cause: `the provider says ${outcome}`, isSilent: false };
  if (!AGREES[resolvedAs].includes(outcome)) return { finding: `the provider says ${outcome}.` };
  return { finding: outcome === 'paid' ? differenceIn(answer.facts, payout) : null };
}

function differenceIn(facts: PayoutFacts, payout: RecheckedPayout): string | null {
  const difference = differenceOf(facts, payout, payout.order.local);
  if (difference === undefined) return null;
  return `the provider reports ${difference.reported} where ${difference.ordered} were ordered.`;
}
