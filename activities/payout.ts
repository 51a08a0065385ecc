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
import type { PayoutAttempt } from '../src/ports/payout-journal';
import type { PayoutOutcome, PayoutProvider, PayoutQuestion } from '../src/ports/payout-provider';
import type { PaymentDependencies } from './dependencies';
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
  /** Another run of the workflow may have sent it, whatever the rows say: then the provider is queried first. */
  readonly mayHaveBeenSent: boolean;
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

type PayoutDependencies = Pick<
  PaymentDependencies,
  | 'attemptNumber'
  | 'intents'
  | 'log'
  | 'makeAttemptId'
  | 'providers'
  | 'payoutJournal'
  | 'startStopwatch'
  | 'payoutUnknownSeconds'
>;

export function createPayoutActivities(dependencies: PayoutDependencies) {
  const { providers, payoutJournal, makeAttemptId } = dependencies;
  return {
    /** @throws PayoutUnknown or PayoutPending while patience lasts; PayoutsStopped while a stop does, once attention is raised. All are retried. */
    async payOut(request: PayoutRequest): Promise<PayoutResult> {
      const attemptId = makeAttemptId();
      try {
        return await attemptPayout(request, attemptId, dependencies);
      } catch (error) {
        // It sends nothing any more: the next attempt need not wait until the time of this one is over.
        await tryToRecord(request, dependencies, () =>
          payoutJournal.endAttempt(request.intentId, attemptId),
        );
        throw error;
      }
    },

    /** Whether the provider says that it has no such payout, or has declined this amount. Its silence says nothing. */
    async isKnownUnpaid(payout: PayoutSubject): Promise<boolean> {
      const answer = await providers[payout.corridor].find(questionOf(payout));
      if (answer.outcome === 'not_found') return true;
      return answer.outcome === 'declined' && answer.amountUsdCents === payout.amountUsdCents;
    },
  };
}

async function attemptPayout(
  request: PayoutRequest,
  attemptId: string,
  dependencies: PayoutDependencies,
): Promise<PayoutResult> {
  const { providers, payoutJournal, startStopwatch, attemptNumber, payoutUnknownSeconds } =
    dependencies;
  const elapsedMs = startStopwatch();
  const begun = await payoutJournal.beginAttempt(request.intentId, attemptId, request);
  const notBegun = resultWithoutAttempt(begun.kind, request);
  if (notBegun !== undefined) return notBegun;
  const attempt = asCounted(begun, attemptNumber(), request);
  const provider = providers[request.corridor];
  const answer = await askOrSend(provider, request, attempt, () => maySendAfter(elapsedMs()));
  if (!attempt.isTaken && isTaken(answer, request)) {
    await payoutJournal.noteTaken(request.intentId);
  }
  // Once attention is raised the activity asks for as long as it takes.
  const waitedSeconds = request.isAttentionRaised ? 0 : attempt.sinceFirstMs / 1_000;
  const result = judge(answer, request, { waitedSeconds, payoutUnknownSeconds });
  if (result.outcome !== 'paid') return result;
  const captured = await capture(request, elapsedMs(), dependencies);
  if (captured !== undefined) return { ...result, captured };
  // What is paid and not captured stays known, also where nothing hears this attempt any more.
  if (!attempt.isTaken)
    await tryToRecord(request, dependencies, () => payoutJournal.noteTaken(request.intentId));
  return result;
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

/** A Postgres that failed over a moment ago may have lost the attempt that Temporal repeats, or that of another run. */
function asCounted(begun: PayoutAttempt, nth: number, request: PayoutRequest): PayoutAttempt {
  return nth === 1 && !request.mayHaveBeenSent ? begun : { ...begun, kind: 'repeat' };
}

/** What may have been sent is asked about first, and sent again only by the attempt that may. */
async function askOrSend(
  provider: PayoutProvider,
  request: PayoutRequest,
  { kind, maySend, qrPayload }: PayoutAttempt,
  isInTime: () => boolean,
): Promise<PayoutOutcome> {
  // The code comes from the row and goes to the provider: histories and failures never hold it.
  const order = { ...questionOf(request), qrPayload };
  const pay = () => provider.pay(order, isInTime);
  if (kind === 'first') return pay();
  const known = await provider.find(order);
  return known.outcome === 'not_found' && maySend ? pay() : known;
}

/** What the provider is asked about, by the key under which it was or will be sent. */
export function questionOf({ intentId, amountUsdCents, corridor }: PayoutSubject): PayoutQuestion {
  return { key: stepKey(intentId, 'payout'), amountUsdCents, corridor };
}

/**
 * A worker that was frozen between its record and its sending must not send: the attempt counts as over, another may have been
 * made, and operations may have declared the payout declined.
 */
function maySendAfter(elapsedMs: number): boolean {
  return elapsedMs <= PAYOUT_SENT_WITHIN_SECONDS * 1_000;
}

/** Whether the answer says that the provider has the payout, and does not end it: then silence ends it no more. */
function isTaken(answer: PayoutOutcome, { amountUsdCents }: PayoutSubject): boolean {
  const isContrary = answer.outcome === 'paid' && answer.amountUsdCents !== amountUsdCents;
  return answer.outcome === 'pending' || isContrary;
}

interface Patience {
  readonly waitedSeconds: number;
  readonly payoutUnknownSeconds: number;
}

function judge(answer: PayoutOutcome, request: PayoutRequest, patience: Patience): PayoutResult {
  switch (answer.outcome) {
    case 'not_found':
      return unknown('the order is not known to it', patience);
    case 'unknown':
      return unknown(answer.cause, patience);
    case 'pending':
      // Throwing has Temporal ask again; returning has the workflow tell operations.
      if (patience.waitedSeconds >= PAYOUT_PENDING_ATTENTION_SECONDS) return { outcome: 'pending' };
      throw payoutPending('the provider says it is pending');
    case 'paid':
    case 'declined':
      if (answer.amountUsdCents === request.amountUsdCents) return { outcome: answer.outcome };
      return { outcome: 'contrary', reportedUsdCents: answer.amountUsdCents };
  }
}

function unknown(cause: string, { waitedSeconds, payoutUnknownSeconds }: Patience): PayoutResult {
  if (waitedSeconds >= payoutUnknownSeconds) return { outcome: 'unknown' };
  throw payoutUnknown(cause);
}

/**
 * The capture goes with the payout (decision 125): the same compare and set that the workflow would make. When it may not or cannot
 * be written, or the row has another status, nothing is returned, and the workflow concludes.
 */
async function capture(
  { intentId, amountUsdCents, corridor, createdAtMs, isAttentionRaised }: PayoutRequest,
  elapsedMs: number,
  { intents, log }: PayoutDependencies,
): Promise<IntentStanding | undefined> {
  // Later another attempt may have begun.
  const isInTime = elapsedMs <= PAYOUT_CAPTURED_WITHIN_SECONDS * 1_000;
  if (isAttentionRaised || !isInTime) return undefined;
  const step = { intentId, from: 'authorized', event: 'capture', actor: 'system' } as const;
  const terms = { amountUsdCents, corridor, createdAtMs };
  try {
    const { status, eventId } = await intents.transition({ ...step, terms });
    if (status === 'captured') return { status, eventId };
    log.warn(
      { intent_id: intentId, status },
      'paid out, but the row has another status or other terms',
    );
  } catch (error) {
    log.warn({ intent_id: intentId, err: error }, 'paid out; the workflow writes the capture');
  }
  return undefined;
}

/** Where it fails, the workflow still gets the result of the attempt. */
async function tryToRecord(
  { intentId }: PayoutRequest,
  { log }: PayoutDependencies,
  record: () => Promise<void>,
): Promise<void> {
  try {
    await record();
  } catch (error) {
    log.warn(
      { intent_id: intentId, err: error },
      'what became of a payout attempt was not recorded',
    );
  }
}
