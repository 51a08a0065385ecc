// POST /v1/payment_intents/{intent_id}/confirm (protocol 5.5; decisions 5, 6 and 20). Rule R2: the answer is read
// from the intent row and the token row after Temporal came back in whatever way, and never from how far it got.
import { setTimeout as pause } from 'node:timers/promises';
import { toPaymentStart } from '../../src/domain/intents/payment-start';
import type { ApiContext, ApiDependencies, ApiSettings } from '../context';
import type { Credentials } from '../auth/credentials';
import type { VerifiedSession } from '../auth/session-token';
import { rejectToken } from '../auth/rejections';
import { DomainError } from '../../src/domain/errors';
import { ORCHESTRATION_WAIT_MAX_MS } from '../../src/domain/limits';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { parseQrPayload } from '../../src/domain/qr/payload';
import { isQrRejection } from '../../src/domain/qr/rejection';
import type { ConfirmAnswer } from '../../src/ports/session-tokens';
import { retryOnce } from './ask-again';
import { parseWaitMs } from './prefer';
import { createRowWatch, type RowWatch } from './row-watch';
import { invalid, parseConfirmRequest, requireJson } from './schema';
import { toWire } from './view';

/** While the run is at its limit of updates, and after Temporal has dropped one. */
const RETRY_UPDATE_AFTER_MS = 150;

interface ConfirmDependencies extends ApiDependencies {
  readonly rows: RowWatch;
}

interface Asked {
  readonly session: VerifiedSession;
  readonly intent: PaymentIntent;
  readonly requestId: string;
  readonly waitMs: number;
  /** The scanned code, as it came. Never log it: it may hold a card number. */
  readonly qrPayload: string | undefined;
}

export function confirmIntent(dependencies: ApiDependencies, credentials: Credentials) {
  const { settings, intents } = dependencies;
  const parts = { ...dependencies, rows: createRowWatch((ids) => intents.statuses(ids)) };
  return async (ctx: ApiContext, pathId: string): Promise<void> => {
    const session = await credentials.requireToken(ctx, 'confirm');
    if (session.boundTo !== pathId) throw rejectToken('bound_to_another_intent', session.use);
    const scanned = readBody(ctx);
    const { intent } = session;
    if (intent === undefined) throw new DomainError('not_found');
    const qrPayload = requirePayload(scanned, intent, settings);
    const waitMs = parseWaitMs(ctx.get('Prefer'), settings.confirmWaitMs);
    const confirmed = await confirm(parts, {
      session,
      intent,
      requestId: ctx.state.requestId,
      waitMs,
      qrPayload,
    });
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = toWire(confirmed);
  };
}

/** What carries nothing needs no media type; a code must be declared as JSON, as a create is (decision 24). */
function readBody(ctx: ApiContext): string | undefined {
  const { qrPayload } = parseConfirmRequest(ctx.state.body);
  if (qrPayload !== undefined) requireJson(ctx.req);
  return qrPayload;
}

/** Judged for the intent's corridor. The sentences are constants, so no answer repeats a part of the code. */
function requirePayload(
  scanned: string | undefined,
  { corridor }: PaymentIntent,
  { isQrPayloadRequired }: ApiSettings,
): string | undefined {
  if (scanned === undefined) {
    if (isQrPayloadRequired[corridor]) throw invalid('qr_payload is required for this corridor.');
    return undefined;
  }
  const read = parseQrPayload(scanned, corridor);
  if (!isQrRejection(read)) return read.raw;
  const { rejection, sentence } = read;
  throw new DomainError('validation_failed', { detail: sentence, reason: `qr_${rejection}` });
}

/** The rows first: only a created intent whose token is unused needs its run. */
async function confirm(dependencies: ConfirmDependencies, asked: Asked): Promise<PaymentIntent> {
  const { intent, session } = asked;
  const isForTheWorkflow = intent.status === 'created' && session.state === 'unused';
  if (isForTheWorkflow) {
    await keepPayload(dependencies, asked);
    await requestWorkflow(dependencies, asked);
  }
  const { answer, intent: today } = await answerFromRows(dependencies, asked);
  switch (answer) {
    case 'accepted':
      return today;
    case 'spent':
      throw rejectToken('jti_used', session.use);
    case 'conflict':
      throw new DomainError('conflict');
    case 'other_payload':
      throw rejectPayload();
    case 'undecided':
      // Also for a token that has expired by our clock: the database's decides, and its statement may be under way.
      throw new DomainError('unavailable', { reason: 'confirm_undecided' });
  }
}

/** Before the run is asked, so that whatever authorizes by this token finds the code; the run itself never sees it. */
async function keepPayload({ tokens }: ApiDependencies, asked: Asked): Promise<void> {
  const { intent, session, qrPayload } = asked;
  if (qrPayload === undefined) return;
  const isFirst = await tokens.keepPayload(intent.intentId, session.use, qrPayload);
  if (!isFirst) throw rejectPayload();
}

/** True for good: a code that came first is never replaced by another. */
function rejectPayload(): DomainError {
  const detail = 'This qr_payload is not the one that came first.';
  return new DomainError('conflict', { detail, reason: 'other_payload' });
}

/**
 * Returns when the workflow has answered or the row is settled, when the caller's time is over and the intent is authorized, or at the
 * deadline of the call to Temporal. An update that is still open then is left to end.
 */
async function requestWorkflow(dependencies: ConfirmDependencies, asked: Asked): Promise<void> {
  const deadline = AbortSignal.timeout(ORCHESTRATION_WAIT_MAX_MS);
  const over = new AbortController();
  const stop = AbortSignal.any([deadline, over.signal]);
  const asking = requestUntilAnswered(dependencies, asked, deadline);
  const { rows } = dependencies;
  const settling = rows.until(asked.intent.intentId, 'settled', stop);
  try {
    await Promise.race([asking, settling, decidedAfterTimeout(dependencies, asked, stop)]);
  } finally {
    over.abort();
    // It may still fail, and the request is answered by then.
    asking.catch(() => undefined);
  }
}

/** A run takes ten updates at a time, and Temporal may drop one: callers wait their turn here, as long as the row is undecided. */
async function requestUntilAnswered(
  { runner, rows, installation }: ConfirmDependencies,
  { intent, session, waitMs }: Asked,
  deadline: AbortSignal,
): Promise<void> {
  const payment = toPaymentStart(intent, installation.id);
  const waiting = { waitForOutcome: waitMs > 0, deadline };
  while (!deadline.aborted) {
    const answer = await runner.confirm(payment, session.use, waiting);
    if (answer !== 'busy') return;
    // Not AbortSignal.timeout: where only `any` refers to it, it may be collected before it is over.
    const turn = new AbortController();
    const timer = setTimeout(() => turn.abort(), RETRY_UPDATE_AFTER_MS);
    const isOver = AbortSignal.any([deadline, turn.signal]);
    const isDecided = await rows.until(intent.intentId, 'decided', isOver);
    clearTimeout(timer);
    if (isDecided) return;
  }
}

/** Patience over, an intent that is authorized is answered as that; one that is not is waited for to the end. */
async function decidedAfterTimeout(
  { rows }: ConfirmDependencies,
  { intent, waitMs }: Asked,
  stop: AbortSignal,
): Promise<void> {
  await pause(waitMs, undefined, { signal: stop }).catch(() => undefined);
  await rows.until(intent.intentId, 'decided', stop);
}

async function answerFromRows(
  { tokens }: ApiDependencies,
  { intent, session, requestId, qrPayload }: Asked,
): Promise<ConfirmAnswer> {
  const ask = () => tokens.answerConfirm(intent.intentId, session.use, requestId, qrPayload);
  const answer = await retryOnce(ask);
  if (answer === undefined) throw new DomainError('not_found');
  return answer;
}
