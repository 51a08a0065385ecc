// From the payer's one "confirm" to what became of it. The token is the same in every repeat, so the service lets it
// authorize once; and what was not answered is never taken for failed: it is asked about (decisions 5, 6 and 29).
import { isSettled } from '../../../src/domain/intents/transitions';
import type { IntentStatus } from '../../../src/domain/intents/payment-intent';
import type { CheckoutService, ConfirmAnswer } from './service/answers';

export interface Progress {
  /**
   * `sent`: on its way. `unanswered`: it may have arrived, and it may not. `confirmed`: the payment is authorized for good.
   */
  readonly known: 'sent' | 'unanswered' | 'confirmed';
  /** The last question had no answer. */
  readonly isOutOfReach: boolean;
}

/**
 * `pending`: confirmed, and nobody answers for the token any longer. `unknown`: not even that is known. `otherCode`: the
 * payment goes with another code than this one. `closed`: cancelled, expired or settled, and the service does not say which.
 */
export type OpenReason = 'pending' | 'unknown' | 'otherCode' | 'closed';

export type Ending =
  | { readonly kind: 'settled'; readonly status: IntentStatus }
  | { readonly kind: 'open'; readonly because: OpenReason }
  /** Nothing was confirmed, for sure: refused before anything of it was accepted. */
  | { readonly kind: 'code_refused' | 'session_refused' };

export interface Pace {
  /** Comes back when that time is over, or sooner when the network is back. */
  readonly wait: (ms: number) => Promise<void>;
  readonly elapsedMs: () => number;
}

interface Confirmation {
  readonly service: CheckoutService;
  readonly pace: Pace;
  /** The scanned text. */
  readonly code: string;
  /** It was sent before: the page was loaded again meanwhile. */
  readonly isRepeat: boolean;
  readonly onProgress: (progress: Progress) => void;
}

/** A session lives for ten minutes at most; after this nobody answers for it any more. */
const ASKED_FOR_MS = 11 * 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 8_000;
const FIRST_READ_AFTER_MS = 700;
const READ_EVERY_MS = 5_000;

/** Comes back in the end, whatever the network does. */
export async function confirmOnce(confirmation: Confirmation): Promise<Ending> {
  const { pace, isRepeat, onProgress } = confirmation;
  let mayHaveArrived = isRepeat;
  onProgress({ known: isRepeat ? 'unanswered' : 'sent', isOutOfReach: false });
  for (let attempt = 0; pace.elapsedMs() < ASKED_FOR_MS; attempt += 1) {
    const tried = await tryOnce(confirmation, mayHaveArrived);
    if (tried.kind !== 'unanswered') return tried;
    mayHaveArrived = tried.mayHaveArrived;
    onProgress({ known: mayHaveArrived ? 'unanswered' : 'sent', isOutOfReach: true });
    await pace.wait(waitAfter(attempt, tried.retryAfterMs));
  }
  return { kind: 'open', because: 'unknown' };
}

interface Unanswered {
  readonly kind: 'unanswered';
  readonly mayHaveArrived: boolean;
  readonly retryAfterMs?: number | undefined;
}

/** What may have arrived is asked about before it is sent again: the token may be spent on it. */
async function tryOnce(
  confirmation: Confirmation,
  mayHaveArrived: boolean,
): Promise<Ending | Unanswered> {
  const { service, code } = confirmation;
  if (mayHaveArrived) {
    const known = await service.status();
    if (known.kind === 'told') return follow(confirmation, known.status);
  }
  return judge(confirmation, mayHaveArrived, await service.confirm(code));
}

async function judge(
  confirmation: Confirmation,
  mayHaveArrived: boolean,
  answer: ConfirmAnswer,
): Promise<Ending | Unanswered> {
  switch (answer.kind) {
    case 'told':
      return follow(confirmation, answer.status);
    case 'code_refused':
      // A code that may have been accepted before is not refused by what is said of it now.
      return mayHaveArrived ? { kind: 'unanswered', mayHaveArrived } : { kind: 'code_refused' };
    case 'conflict':
      return explainConflict(confirmation);
    case 'refused':
      return explainRejection(confirmation, mayHaveArrived);
    case 'unknown':
      return { kind: 'unanswered', mayHaveArrived: true, retryAfterMs: answer.retryAfterMs };
  }
}

/** Until it is settled. From here on the payment goes on without this page. */
async function follow(
  { service, pace, onProgress }: Confirmation,
  first: IntentStatus,
): Promise<Ending> {
  let status = first;
  let isOutOfReach = false;
  for (let waitMs = FIRST_READ_AFTER_MS; pace.elapsedMs() < ASKED_FOR_MS; waitMs *= 1.4) {
    if (isSettled(status)) return { kind: 'settled', status };
    onProgress({ known: 'confirmed', isOutOfReach });
    await pace.wait(Math.min(waitMs, READ_EVERY_MS));
    const answer = await service.status();
    if (answer.kind === 'refused') break;
    isOutOfReach = answer.kind === 'unknown';
    if (answer.kind === 'told') status = answer.status;
  }
  return { kind: 'open', because: 'pending' };
}

/** The token is spent, and then its status is told; or it is no longer good. */
async function explainRejection(
  confirmation: Confirmation,
  mayHaveArrived: boolean,
): Promise<Ending | Unanswered> {
  const answer = await confirmation.service.status();
  switch (answer.kind) {
    case 'told':
      return follow(confirmation, answer.status);
    case 'refused':
      return mayHaveArrived ? { kind: 'open', because: 'unknown' } : { kind: 'session_refused' };
    case 'unknown':
      return { kind: 'unanswered', mayHaveArrived, retryAfterMs: answer.retryAfterMs };
  }
}

/** The state does not allow it, or another code came first: an open session tells one from the other. */
async function explainConflict({ service, pace }: Confirmation): Promise<Ending> {
  for (let attempt = 0; pace.elapsedMs() < ASKED_FOR_MS; attempt += 1) {
    const answer = await service.session();
    if (answer.kind === 'open') return { kind: 'open', because: 'otherCode' };
    if (answer.kind === 'refused') break;
    await pace.wait(waitAfter(attempt, answer.retryAfterMs));
  }
  return { kind: 'open', because: 'closed' };
}

function waitAfter(attempt: number, askedMs = 0): number {
  const backedOff = Math.min(FIRST_WAIT_MS * 1.6 ** attempt, LONGEST_WAIT_MS);
  return Math.max(backedOff, Math.min(askedMs, LONGEST_WAIT_MS));
}
