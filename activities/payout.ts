// The payout. Rule: what may have been sent is asked about by key before anything is sent again
// (architecture, section 3).
import type { Corridor } from '../src/domain/corridor';
import { stepKey, type IntentId } from '../src/domain/ids';
import {
  PAYOUT_CAPTURED_WITHIN_SECONDS,
  PAYOUT_PENDING_ATTENTION_SECONDS,
  PAYOUT_SENT_WITHIN_SECONDS,
} from '../src/domain/limits';
import type { UsdCents } from '../src/domain/money';
import type { IntentStanding } from '../src/domain/transition';
import type { Stopwatch } from '../src/ports/clock';
import type { IntentStore } from '../src/ports/intent-store';
import type { Log } from '../src/ports/log';
import type { PayoutAttempt, PayoutJournal } from '../src/ports/payout-journal';
import type { PayoutOutcome, PayoutProvider, PayoutQuestion } from '../src/ports/payout-provider';
import { payoutPending, payoutsStopped, payoutUnknown } from './failures';

/** Which payout it is, and what of. */
export interface PayoutSubject {
  readonly intentId: IntentId;
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor;
}

export interface PayoutRequest extends PayoutSubject {
  /** Of the row that the workflow belongs to: milliseconds since 1970. */
  readonly createdAtMs: number;
  /**
   * Once attention is raised the activity asks until the outcome is known, and writes no capture: an operator may be
   * deciding the payment at the same time, so the workflow writes how it ends.
   */
  readonly isAttentionRaised: boolean;
}

/**
 * What the provider is known to have done. `captured` is where the row stands once the activity has written the capture;
 * without it the workflow writes the capture. `not_authorized`: the row allows no payout and nothing was sent.
 */
export type KnownPayout =
  | { readonly outcome: 'paid'; readonly captured?: IntentStanding }
  | { readonly outcome: 'declined' | 'not_authorized' };

/**
 * `unknown` and `pending` are returned only when patience is over, so that the workflow tells operations. `contrary`:
 * the provider names another amount. `stopped`: nothing was begun, since all payouts are stopped (decision 127).
 */
export type PayoutResult =
  | KnownPayout
  | { readonly outcome: 'stopped' }
  | { readonly outcome: 'unknown' | 'pending' }
  | { readonly outcome: 'contrary'; readonly reportedUsdCents: number };

export interface PayoutActivities {
  /** @throws PayoutUnknown or PayoutPending while patience lasts; PayoutsStopped while a stop does, once attention is raised. All are retried. */
  payOut(request: PayoutRequest): Promise<PayoutResult>;
}

export interface PayoutDependencies {
  readonly intents: IntentStore;
  readonly log: Log;
  readonly providers: Readonly<Record<Corridor, PayoutProvider>>;
  readonly payoutJournal: PayoutJournal;
  readonly startStopwatch: () => Stopwatch;
  /** After this an unknown payout is left to operations. */
  readonly payoutUnknownSeconds: number;
}

export function createPayoutActivities(dependencies: PayoutDependencies): PayoutActivities {
  return {
    async payOut(request) {
      const { providers, payoutJournal, startStopwatch } = dependencies;
      const elapsedMs = startStopwatch();
      const provider = providers[request.corridor];
      const attempt = await payoutJournal.beginAttempt(request.intentId, request);
      const notBegun = resultWithoutAttempt(attempt.kind, request);
      if (notBegun !== undefined) return notBegun;
      // The code comes from the row and goes to the provider: histories and failures never hold it.
      const order = { ...questionOf(request), qrPayload: attempt.qrPayload };
      const pay = () => provider.pay(order, () => maySendAfter(elapsedMs()));
      const find = () => provider.find(order);
      const answer = await (attempt.kind === 'first' ? pay() : askThenSend(attempt, find, pay));
      if (!attempt.isTaken && isTaken(answer, request)) {
        await payoutJournal.noteTaken(request.intentId);
      }
      const patience = patienceOf(attempt, request, dependencies.payoutUnknownSeconds);
      const result = judge(answer, request, patience);
      const canCapture = !request.isAttentionRaised && mayCaptureAfter(elapsedMs());
      const written = canCapture ? await withCapture(result, request, dependencies) : result;
      if (!attempt.isTaken) await keepPaid(written, request, dependencies);
      return written;
    },
  };
}

/**
 * The result when no attempt was begun, or undefined when one was.
 * @throws PayoutUnknown or PayoutsStopped to be retried
 */
function resultWithoutAttempt(
  kind: PayoutAttempt['kind'],
  { isAttentionRaised }: PayoutRequest,
): PayoutResult | undefined {
  switch (kind) {
    case 'refused':
      return { outcome: 'not_authorized' };
    case 'closed':
      throw payoutUnknown('operations have it judged at this moment');
    case 'stopped':
      if (isAttentionRaised) throw payoutsStopped();
      return { outcome: 'stopped' };
    case 'first':
    case 'repeat':
      return undefined;
  }
}

/** Whether the answer says that the provider has the payout, and does not end it: then silence ends it no more. */
function isTaken(answer: PayoutOutcome, { amountUsdCents }: PayoutSubject): boolean {
  const isContrary = answer.outcome === 'paid' && answer.amountUsdCents !== amountUsdCents;
  return answer.outcome === 'pending' || isContrary;
}

/**
 * The capture goes with the payout (decision 125): the same compare and set that the workflow would make. When it cannot
 * be written, or the row has another status, the result says only that it is paid, and the workflow concludes.
 */
async function withCapture(
  result: PayoutResult,
  { intentId, amountUsdCents, corridor, createdAtMs }: PayoutRequest,
  { intents, log }: Pick<PayoutDependencies, 'intents' | 'log'>,
): Promise<PayoutResult> {
  if (result.outcome !== 'paid') return result;
  const terms = { amountUsdCents, corridor, createdAtMs };
  const capture = {
    intentId,
    terms,
    from: 'authorized',
    event: 'capture',
    actor: 'system',
  } as const;
  try {
    const { status, eventId } = await intents.transition(capture);
    if (status === 'captured') return { ...result, captured: { status, eventId } };
    log.warn(
      { intent_id: intentId, status },
      'paid out, but the row has another status or other terms',
    );
  } catch (error) {
    log.warn({ intent_id: intentId, err: error }, 'paid out; the workflow writes the capture');
  }
  return result;
}

/** What is paid and not captured stays known, also where nobody hears this attempt any more. */
async function keepPaid(
  result: PayoutResult,
  { intentId }: PayoutRequest,
  { payoutJournal, log }: Pick<PayoutDependencies, 'payoutJournal' | 'log'>,
): Promise<void> {
  if (result.outcome !== 'paid' || result.captured !== undefined) return;
  try {
    await payoutJournal.noteTaken(intentId);
  } catch (error) {
    // The workflow still gets the result; only the note failed.
    log.warn({ intent_id: intentId, err: error }, 'paid out; that was not kept');
  }
}

/** What the provider is asked about, by the key under which it was or will be sent. */
export function questionOf({ intentId, amountUsdCents, corridor }: PayoutSubject): PayoutQuestion {
  return { key: stepKey(intentId, 'payout'), amountUsdCents, corridor };
}

/** While payouts are stopped nothing is sent, and never what the provider has had, also where it does not know it any more. */
async function askThenSend(
  { maySend, isTaken }: PayoutAttempt,
  find: () => Promise<PayoutOutcome>,
  pay: () => Promise<PayoutOutcome>,
): Promise<PayoutOutcome> {
  const known = await find();
  return known.outcome === 'not_found' && maySend && !isTaken ? pay() : known;
}

/**
 * A worker that was frozen between its record and its sending must not send: the attempt counts as over, another may have been
 * made, and operations may have declared the payout declined.
 */
function maySendAfter(elapsedMs: number): boolean {
  return elapsedMs <= PAYOUT_SENT_WITHIN_SECONDS * 1_000;
}

/** Later another attempt may have begun. */
function mayCaptureAfter(elapsedMs: number): boolean {
  return elapsedMs <= PAYOUT_CAPTURED_WITHIN_SECONDS * 1_000;
}

interface Patience {
  readonly isUnknownTooLong: boolean;
  readonly isPendingTooLong: boolean;
}

/** Once attention is raised the activity asks for as long as it takes. */
function patienceOf(
  { sinceFirstMs }: PayoutAttempt,
  { isAttentionRaised }: PayoutRequest,
  unknownSeconds: number,
): Patience {
  const sinceFirstSeconds = isAttentionRaised ? 0 : sinceFirstMs / 1_000;
  return {
    isUnknownTooLong: sinceFirstSeconds >= unknownSeconds,
    isPendingTooLong: sinceFirstSeconds >= PAYOUT_PENDING_ATTENTION_SECONDS,
  };
}

function judge(answer: PayoutOutcome, request: PayoutRequest, patience: Patience): PayoutResult {
  switch (answer.outcome) {
    case 'not_found':
      return waitOrTell('unknown', patience.isUnknownTooLong, 'the order is not known to it');
    case 'unknown':
      return waitOrTell('unknown', patience.isUnknownTooLong, answer.cause);
    case 'pending':
      return waitOrTell('pending', patience.isPendingTooLong, 'the provider says it is pending');
    case 'paid':
    case 'declined':
      if (answer.amountUsdCents === request.amountUsdCents) return { outcome: answer.outcome };
      return { outcome: 'contrary', reportedUsdCents: answer.amountUsdCents };
  }
}

/** Throwing has Temporal ask again; returning has the workflow tell operations. */
function waitOrTell(
  outcome: 'unknown' | 'pending',
  isTooLong: boolean,
  cause: string,
): PayoutResult {
  if (isTooLong) return { outcome };
  throw outcome === 'unknown' ? payoutUnknown(cause) : payoutPending(cause);
}
