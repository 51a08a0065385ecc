// Sends the payer's one confirm and follows it to its outcome. Every repeat has the same token, so
// the service authorizes once. An unanswered confirm never counts as failed: the page reads the
// status (decisions 5, 6 and 29).
import { isSettled } from '../../../src/domain/intents/transitions';
import type { IntentStatus } from '../../../src/domain/intents/payment-intent';
import type { CheckoutService, ConfirmAnswer, Session } from './service/answers';

export interface Progress {
  /**
   * `sent`: the confirm is on its way. `unanswered`: it may or may not have arrived. `confirmed`:
   * the payment is authorized.
   */
  readonly known: 'sent' | 'unanswered' | 'confirmed';
  /** Whether the last request had no answer. */
  readonly isUnreachable: boolean;
}

/**
 * `pending`: confirmed, and the service no longer answers for the token. `unknown`: it is not known
 * whether it is confirmed. `otherCode`: the payment was confirmed with another code. `closed`:
 * cancelled, expired or settled; the service does not say which. `limited`: the partner's limit of
 * the day is reached, and nothing was confirmed. `paused`: operators let no payment begin.
 */
export type OpenReason = 'pending' | 'unknown' | 'otherCode' | 'closed' | 'limited' | 'paused';

export type Ending =
  | { readonly kind: 'settled'; readonly status: IntentStatus }
  | { readonly kind: 'open'; readonly because: OpenReason }
  /** Confirmed by this token before, perhaps on another device and with another code. */
  | { readonly kind: 'used'; readonly status: IntentStatus }
  /** It is certain that nothing was confirmed. */
  | { readonly kind: 'code_rejected' | 'session_rejected' };

export interface Pace {
  /** Resolves after that time, or sooner when the network is back. */
  readonly wait: (ms: number) => Promise<void>;
  readonly elapsedMs: () => number;
}

interface Confirmation {
  readonly service: CheckoutService;
  readonly pace: Pace;
  /** The scanned text. */
  readonly code: string;
  /** The confirm was sent before, and the page was reloaded since. */
  readonly isRepeat: boolean;
  readonly onProgress: (progress: Progress) => void;
}

/**
 * A session lives for ten minutes at most; after this time the service no longer answers for it.
 */
const RETRY_WINDOW_MS = 11 * 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 8_000;
const FIRST_READ_AFTER_MS = 700;
const READ_EVERY_MS = 5_000;

/** Always ends, whatever the network does. */
export async function confirmOnce(confirmation: Confirmation): Promise<Ending> {
  const { pace, isRepeat, onProgress } = confirmation;
  let mayHaveArrived = isRepeat;
  onProgress({ known: isRepeat ? 'unanswered' : 'sent', isUnreachable: false });
  for (let attempt = 0; pace.elapsedMs() < RETRY_WINDOW_MS; attempt += 1) {
    const tried = await tryOnce(confirmation, mayHaveArrived);
    if (tried.kind !== 'unanswered') return tried;
    mayHaveArrived = tried.mayHaveArrived;
    onProgress({ known: mayHaveArrived ? 'unanswered' : 'sent', isUnreachable: true });
    await pace.wait(waitAfter(attempt, tried.retryAfterMs));
  }
  return { kind: 'open', because: 'unknown' };
}

interface Unanswered {
  readonly kind: 'unanswered';
  readonly mayHaveArrived: boolean;
  readonly retryAfterMs?: number | undefined;
}

/**
 * A confirm that may have arrived may have used the token, so the status is read before it is sent
 * again.
 */
async function tryOnce(
  confirmation: Confirmation,
  mayHaveArrived: boolean,
): Promise<Ending | Unanswered> {
  const { service, code } = confirmation;
  if (mayHaveArrived) {
    const known = await service.status();
    if (known.kind === 'known') return follow(confirmation, known.status);
  }
  return handleAnswer(confirmation, mayHaveArrived, await service.confirm(code));
}

async function handleAnswer(
  confirmation: Confirmation,
  mayHaveArrived: boolean,
  answer: ConfirmAnswer,
): Promise<Ending | Unanswered> {
  switch (answer.kind) {
    case 'known':
      return follow(confirmation, answer.status);
    case 'code_rejected':
      return unlessSentBefore(mayHaveArrived, { kind: 'code_rejected' });
    case 'limited':
      return unlessSentBefore(mayHaveArrived, { kind: 'open', because: 'limited' });
    case 'conflict':
      return explainConflict(confirmation, mayHaveArrived);
    case 'rejected':
      return explainRejection(confirmation, mayHaveArrived);
    case 'unknown':
      return { kind: 'unanswered', mayHaveArrived: true, retryAfterMs: answer.retryAfterMs };
  }
}

/** An earlier confirm may have been accepted: the rejection of a later one does not undo it. */
function unlessSentBefore(mayHaveArrived: boolean, ending: Ending): Ending | Unanswered {
  return mayHaveArrived ? { kind: 'unanswered', mayHaveArrived } : ending;
}

/**
 * Reads the status until the payment is settled. From here on the payment continues without this
 * page.
 */
async function follow(
  { service, pace, onProgress }: Confirmation,
  first: IntentStatus,
): Promise<Ending> {
  let status = first;
  let isUnreachable = false;
  for (let waitMs = FIRST_READ_AFTER_MS; pace.elapsedMs() < RETRY_WINDOW_MS; waitMs *= 1.4) {
    if (isSettled(status)) return { kind: 'settled', status };
    onProgress({ known: 'confirmed', isUnreachable });
    await pace.wait(Math.min(waitMs, READ_EVERY_MS));
    const answer = await service.status();
    if (answer.kind === 'rejected') break;
    isUnreachable = answer.kind === 'unknown';
    if (answer.kind === 'known') status = answer.status;
  }
  return { kind: 'open', because: 'pending' };
}

/**
 * Either the token was used, and the service answers with the status, or the token is no longer
 * valid.
 */
async function explainRejection(
  confirmation: Confirmation,
  mayHaveArrived: boolean,
): Promise<Ending | Unanswered> {
  const answer = await confirmation.service.status();
  switch (answer.kind) {
    case 'known':
      return mayHaveArrived
        ? follow(confirmation, answer.status)
        : { kind: 'used', status: answer.status };
    case 'rejected':
      return mayHaveArrived ? { kind: 'open', because: 'unknown' } : { kind: 'session_rejected' };
    case 'unknown':
      return { kind: 'unanswered', mayHaveArrived, retryAfterMs: answer.retryAfterMs };
  }
}

/**
 * A conflict means that the status allows no confirm, that the partner is suspended, or that
 * another code came first. Only in the last case is the session still open, or was its token used
 * for the other code.
 */
async function explainConflict(
  { service, pace }: Confirmation,
  mayHaveArrived: boolean,
): Promise<Ending> {
  for (let attempt = 0; pace.elapsedMs() < RETRY_WINDOW_MS; attempt += 1) {
    const answer = await service.session();
    if (answer.kind === 'open') return conflictIn(answer.session, mayHaveArrived);
    const used = answer.kind === 'rejected' ? await service.status() : answer;
    if (used.kind === 'known') return { kind: 'used', status: used.status };
    if (used.kind === 'rejected') break;
    await pace.wait(waitAfter(attempt, used.retryAfterMs));
  }
  return { kind: 'open', because: 'closed' };
}

function conflictIn({ status, isOpen }: Session, mayHaveArrived: boolean): Ending {
  if (isOpen || status !== 'created') return { kind: 'open', because: 'otherCode' };
  return { kind: 'open', because: mayHaveArrived ? 'unknown' : 'paused' };
}

function waitAfter(attempt: number, retryAfterMs = 0): number {
  const backOffMs = Math.min(FIRST_WAIT_MS * 1.6 ** attempt, LONGEST_WAIT_MS);
  return Math.max(backOffMs, Math.min(retryAfterMs, LONGEST_WAIT_MS));
}
