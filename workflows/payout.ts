// The payout until its outcome is known: the provider tells it, or, once attention is raised, operations declare it with
// evidence (architecture, section 3, "Settlement"). It is never guessed, and no timer ends it.
import {
  ActivityFailure,
  CancellationScope,
  condition,
  isCancellation,
} from '@temporalio/workflow';
import { contradictionOf, NEVER_CONFIRMED } from '../src/domain/declared-payout';
import { formatUsd } from '../src/domain/money';
import type { KnownPayout, PayoutResult, PayoutSubject } from '../activities/payout';
import type { Resolution } from './messages';
import { raiseAttention, tell, type Payment, type ResolutionAsk } from './payment';
import { compareResolved, judgeResolution, payOut, payOutSlowly } from './steps';

/** Operations have declared it, and the declaration was judged. */
export interface Resolved {
  readonly outcome: 'resolved';
  readonly ask: ResolutionAsk;
}

/** `stopped`: nothing was begun, since all payouts are stopped. */
type PayoutEnd = KnownPayout | Resolved | { readonly outcome: 'stopped' };

/** Asks until it is known. Patience over, operations are told, and it goes on asking slowly. */
export async function payOutUntilKnown(payment: Payment): Promise<PayoutEnd> {
  const order = orderOf(payment);
  tell(`Paying out ${formatUsd(order.amountUsdCents)} through the provider of ${order.corridor}.`);
  let result: PayoutResult | PayoutEnd = await payOut({
    ...order,
    createdAtMs: payment.createdAtMs,
    isAttentionRaised: false,
  });
  for (;;) {
    if (result.outcome === 'resolved' || result.outcome === 'stopped') return result;
    if (isKnown(result)) {
      payment.isResolvable = false;
      return result;
    }
    result = await watch(payment, order, result);
  }
}

/**
 * For a day after operations declared an outcome: a payment that was frozen on its way may land late. A contrary answer is
 * for people; it overwrites nothing.
 */
export async function compareWithProvider(
  payment: Payment,
  { outcome }: Resolution,
): Promise<void> {
  try {
    const finding = await compareResolved({ ...orderOf(payment), declared: outcome });
    if (finding === null) return;
    await raiseAttention(payment, contradictionOf(outcome, finding));
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    if (outcome === 'paid') {
      await raiseAttention(payment, contradictionOf(outcome, NEVER_CONFIRMED));
    } else {
      tell(`Finished: ${payment.status}. The provider has contradicted nothing for a day.`);
    }
  }
}

export function orderOf({ input }: Payment): PayoutSubject {
  const { intentId, amountUsdCents, corridor } = input;
  return { intentId, amountUsdCents, corridor };
}

function isKnown(result: PayoutResult): result is KnownPayout {
  const { outcome } = result;
  return outcome === 'paid' || outcome === 'declined' || outcome === 'not_authorized';
}

/**
 * Raises attention, and waits for the provider's answer or an operator's declaration. After a contrary answer the provider
 * is asked again only when an operator resumes the payment: a reminder of the reconciler changes nothing about it.
 */
async function watch(
  payment: Payment,
  order: PayoutSubject,
  result: PayoutResult,
): Promise<PayoutResult | PayoutEnd> {
  const resumesSeen = payment.resumesByOperations;
  await raiseAttention(payment, reasonFor(payment, result));
  payment.isResolvable = true;
  if (result.outcome === 'contrary') {
    const isResumed = () => payment.resumesByOperations > resumesSeen;
    await condition(() => isResumed() || payment.resolving !== null);
    while (payment.resolving !== null) {
      if (await judge(order, payment, payment.resolving)) return resolved(payment.resolving);
      await condition(() => isResumed() || payment.resolving !== null);
    }
  }
  return askSlowly(payment, order);
}

/**
 * The asking is ended before operations are judged, so that it does not begin again. An attempt of it may still be under way:
 * that is waited out by the judge, and what began later by the statement that writes the end.
 */
async function askSlowly(
  payment: Payment,
  order: PayoutSubject,
): Promise<PayoutResult | PayoutEnd> {
  for (;;) {
    const scope = new CancellationScope();
    const asking = { answer: undefined as PayoutResult | undefined, isOver: false };
    const asked = scope
      .run(() =>
        payOutSlowly.executeWithOptions(watchedAs(payment.judgements), [
          { ...order, createdAtMs: payment.createdAtMs, isAttentionRaised: true },
        ]),
      )
      .then((answer) => {
        asking.answer = answer;
      })
      .catch(ignoreCancellation)
      .finally(() => {
        asking.isOver = true;
      });
    await condition(() => asking.isOver || payment.resolving !== null);
    if (payment.resolving !== null && !asking.isOver) scope.cancel();
    await asked;
    const { answer } = asking;
    if (answer !== undefined) return answeredMeanwhile(payment, answer);
    const ask = payment.resolving;
    if (ask !== null && (await judge(order, payment, ask))) return resolved(ask);
  }
}

function ignoreCancellation(error: unknown): void {
  if (!isCancellation(error)) throw error;
}

/** The provider was faster than operations. */
function answeredMeanwhile(payment: Payment, answer: PayoutResult): PayoutResult {
  const ask = payment.resolving;
  if (ask !== null) refuse(payment, ask, `The provider has answered meanwhile: ${answer.outcome}.`);
  return answer;
}

/** An id that was cancelled is not used again: not every server takes it twice. */
function watchedAs(judgements: number): { readonly activityId: string } {
  return {
    activityId: judgements === 0 ? 'payout-watched' : `payout-watched-${String(judgements)}`,
  };
}

export async function judge(
  order: PayoutSubject,
  payment: Payment,
  ask: ResolutionAsk,
): Promise<boolean> {
  payment.judgements += 1;
  const { outcome: declared, isProviderGone = false } = ask.resolution;
  const judged = { ...order, declared, ...(isProviderGone && { isProviderGone }) };
  const { refusal, payoutAttempts } = await judgeResolution(judged);
  const isForgotten = payoutAttempts === 0 && payment.isPayoutDecided;
  if (refusal !== null || isForgotten) {
    refuse(payment, ask, refusal ?? FORGOTTEN);
    return false;
  }
  ask.payoutAttempts = payoutAttempts;
  ask.isJudged = true;
  payment.isResolvable = false;
  return true;
}

const FORGOTTEN =
  'This run has sent the payout, and its row does not know of it: a database was restored. See docs/restore.md.';

/** Why operations may not declare it any more. */
export const DECIDED = 'The payout has been decided already.';

export function refuse(payment: Payment, ask: ResolutionAsk, refusal: string): void {
  ask.refusal = refusal;
  ask.isJudged = true;
  payment.resolving = null;
}

function resolved(ask: ResolutionAsk): PayoutEnd {
  return { outcome: 'resolved', ask };
}

function reasonFor({ input }: Payment, result: PayoutResult): string {
  if (result.outcome === 'contrary') {
    return `The provider reports ${String(result.reportedUsdCents)} cents where ${String(input.amountUsdCents)} were ordered.`;
  }
  return result.outcome === 'pending' ? PENDING : UNKNOWN;
}

const UNKNOWN =
  'The outcome of the payout is unknown. It is asked about by key until the provider tells.';
const PENDING =
  'The provider has called the payout pending for an hour. It is asked about until it is over.';
