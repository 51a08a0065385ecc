// The payout until its outcome is known, from the provider or, once attention is raised, from an
// operator with evidence (architecture, section 3, "Settlement"). It is never guessed, and no timer
// decides it.
import {
  CancellationScope,
  condition,
  isCancellation,
  metricMeter,
  setCurrentDetails,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { Attention } from '../src/domain/intents/attention';
import { formatUsd } from '../src/domain/money';
import type { AtOnceResult, KnownPayout, PayoutResult } from '../activities/payout';
import type { PayoutSubject } from '../activities/payout-decision';
import { BEGUN_METRIC } from './messages/messages';
import { adopt, raiseAttention, showStatus, type Payment } from './payment';
import { enter, type PendingResolution } from './phase';
import { verifyResolution, payOut, payOutAtOnce, payOutSlowly } from './steps';

export interface ResolvedPayout {
  readonly outcome: 'resolved';
  /** A manual resolution that the provider's answer does not contradict. */
  readonly request: PendingResolution;
}

type Stopped = Extract<PayoutResult, { outcome: 'stopped' }>;
type UndecidedPayout = Exclude<PayoutResult, KnownPayout | Stopped>;

/**
 * Pays out until the outcome is known. `stopped`: nothing was sent, because payouts are stopped.
 */
export async function payOutUntilKnown(
  payment: Payment,
): Promise<KnownPayout | Stopped | ResolvedPayout> {
  enter(payment, { name: 'paying' });
  const order = orderOf(payment);
  setCurrentDetails(
    `Paying out ${formatUsd(order.amountUsdCents)} through the provider of ${order.corridor}.`,
  );
  let result = await payOutInFirstTask(payment);
  if (result === undefined) {
    showStatus(payment);
    const request = { ...requestOf(payment), mayHaveBeenSent: payment.mayHaveBeenSent };
    result = orReadRow(await payOut({ ...request, isAttentionRaised: false }));
  }
  rememberSent(payment, result);
  payment.isEndpointFast = { isEndpointFast: false, ...result }.isEndpointFast;
  return isUndecided(result) ? watch(payment, result) : result;
}

/** Where no order can have been sent, one still may be, once a silent provider answers. */
function rememberSent(payment: Payment, result: PayoutResult): void {
  const { isUnsent } = { isUnsent: false, ...result };
  payment.mayHaveBeenSent ||= result.outcome !== 'stopped' && !isUnsent;
}

/** Anybody with write access to Temporal can complete an activity, also without a result. */
function orReadRow(result: PayoutResult | null): PayoutResult {
  return result ?? { outcome: 'not_authorized' };
}

/** Events in the history during the first attempt at a workflow's first task. */
const FIRST_TASK_HISTORY_LENGTH = 3;

/**
 * Sends the payout within the task that has authorized the payment. A repeated task may have sent
 * it before its worker died; its history is longer. Returns undefined if the regular activity,
 * which queries first, must go on.
 */
async function payOutInFirstTask(payment: Payment): Promise<PayoutResult | undefined> {
  const way = wayToBegin(payment);
  countBegun(way);
  if (way !== 'at_once') return undefined;
  try {
    const result = await payOutAtOnce(requestOf(payment));
    if (result.outcome === 'not_sent') return undefined;
    if (result.outcome !== 'undecided') {
      adoptCapture(payment, result);
      return result;
    }
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
  }
  payment.mayHaveBeenSent = true;
  return undefined;
}

type WayToBegin = 'at_once' | 'later' | 'queried';

function wayToBegin({ mayHaveBeenSent }: Payment): WayToBegin {
  if (mayHaveBeenSent) return 'queried';
  return workflowInfo().historyLength === FIRST_TASK_HISTORY_LENGTH ? 'at_once' : 'later';
}

/** A metric of Temporal's Core: if the server counts events otherwise, no payout is at once. */
function countBegun(way: WayToBegin): void {
  const description = 'Payouts begun: at once, later, or by a query to the provider';
  metricMeter.createCounter(BEGUN_METRIC, 'payouts', description).add(1, { way });
}

/** The result of a local activity is a worker's own: no client of Temporal can complete it. */
function adoptCapture(payment: Payment, result: AtOnceResult): void {
  if (result.outcome === 'paid' && result.captured !== undefined) adopt(payment, result.captured);
}

const UNDECIDED: readonly string[] = [
  ...(['unknown', 'pending', 'returned', 'amount_mismatch'] satisfies UndecidedPayout['outcome'][]),
];

function isUndecided(result: PayoutResult): result is UndecidedPayout {
  return UNDECIDED.includes(result.outcome);
}

/**
 * Raises attention, queries the provider slowly and verifies manual resolutions until one decides.
 */
async function watch(
  payment: Payment,
  first: UndecidedPayout,
): Promise<KnownPayout | Stopped | ResolvedPayout> {
  const resolutions: PendingResolution[] = [];
  for (let result: PayoutResult = first; ;) {
    if (!isUndecided(result)) {
      enter(payment, { name: 'paying' });
      return result;
    }
    const next = await watchOnce(payment, result, resolutions);
    if (next.outcome === 'resolved') return next;
    for (const request of resolutions.splice(0)) {
      request.rejection = `The provider has answered meanwhile: ${next.outcome}.`;
    }
    result = next;
  }
}

/**
 * Waits for the provider's next answer or a verified resolution. After another amount, or a return,
 * only an operator's resume makes the workflow query again; reminders of the workflow repairer do
 * not.
 */
async function watchOnce(
  payment: Payment,
  result: UndecidedPayout,
  resolutions: PendingResolution[],
): Promise<PayoutResult | ResolvedPayout> {
  const resumesSeen = payment.resumes.byOperations;
  await raiseAttention(payment, attentionFor(result));
  enter(payment, { name: 'watching', resolutions });
  const isForPeople = result.outcome === 'amount_mismatch' || result.outcome === 'returned';
  const mayQuery = () => !isForPeople || payment.resumes.byOperations > resumesSeen;
  for (;;) {
    await condition(() => mayQuery() || resolutions.length > 0);
    const request = resolutions.shift();
    if (request === undefined) {
      const answer = await querySlowly(payment, resolutions);
      if (answer === undefined) continue;
      rememberSent(payment, answer);
      return answer;
    }
    if (await isVerified(payment, request)) return { outcome: 'resolved', request };
  }
}

/**
 * The provider's answer, or undefined if a resolution came first, or a resume signal, by which it
 * is queried at once. Then the query is cancelled; an attempt of it may still be under way, and the
 * verification waits until it cannot be.
 */
async function querySlowly(
  payment: Payment,
  resolutions: readonly PendingResolution[],
): Promise<PayoutResult | undefined> {
  const { resumes } = payment;
  const resumesSeen = resumes.all;
  const scope = new CancellationScope();
  const { mayHaveBeenSent } = payment;
  const request = { ...requestOf(payment), mayHaveBeenSent, isAttentionRaised: true };
  const answer = scope.run(() => payOutSlowly(request));
  const isOver = () => resolutions.length > 0 || resumes.all > resumesSeen;
  const isInterrupted = scope.run(() => condition(isOver));
  try {
    await Promise.race([answer, isInterrupted]);
    scope.cancel();
    return orReadRow(await answer);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return undefined;
  }
}

/** Verifies the resolution with the provider. On a contradiction it answers the request. */
export async function isVerified(payment: Payment, request: PendingResolution): Promise<boolean> {
  const hasBegun = payment.phase.name === 'watching';
  const { resolution } = request;
  const rejection = await verifyResolution({ ...orderOf(payment), resolution, hasBegun });
  if (typeof rejection !== 'string') return true;
  request.rejection = rejection;
  return false;
}

export function orderOf({ input }: Payment): PayoutSubject {
  const { intentId, amountUsdCents, corridor } = input;
  return { intentId, amountUsdCents, corridor };
}

function requestOf(payment: Payment) {
  const { row, input } = payment;
  return { ...orderOf(payment), createdAtMs: row.createdAtMs, partnerId: input.partnerId };
}

function attentionFor(result: UndecidedPayout): Attention {
  if (result.outcome === 'amount_mismatch') {
    const sentence = `The provider reports ${result.reported} where ${result.ordered} were ordered.`;
    return { kind: 'payout_differs', sentence };
  }
  return { pending: PENDING, unknown: UNKNOWN, returned: RETURNED }[result.outcome];
}

const RETURNED: Attention = {
  kind: 'returned',
  sentence:
    'The provider has paid, and the money came back. Resolve the payout as declined to release the debit.',
};

const UNKNOWN: Attention = {
  kind: 'payout_unknown',
  sentence:
    'The outcome of the payout is unknown. The provider is queried by key until it answers.',
};
const PENDING: Attention = {
  kind: 'payout_pending',
  sentence:
    'The provider has called the payout pending for an hour. It is queried until it decides.',
};
