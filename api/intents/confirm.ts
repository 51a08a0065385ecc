// POST /v1/payment_intents/{intent_id}/confirm (protocol 5.5; decisions 5, 6 and 20). The answer
// comes from the intent row and the token row, whatever Temporal reports (rule R2).
import { setTimeout as pause } from 'node:timers/promises';
import { toPaymentStart } from '../../src/domain/intents/payment-start';
import type { ApiContext, ApiDependencies } from '../context';
import type { Credentials } from '../auth/credentials';
import type { VerifiedSession } from '../auth/session-token';
import { rejectToken } from '../auth/rejections';
import { DomainError } from '../../src/domain/errors';
import { ORCHESTRATION_WAIT_MAX_MS } from '../../src/domain/limits';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import type { Waiting } from '../../src/ports/intents';
import type { ConfirmAnswer } from '../../src/ports/partners';
import { retryOnce } from './ask-again';
import { closedError } from './closed';
import { requirePayable } from './payable';
import { readBody, rejectPayload, requirePayload, storePayload, type ReadPayload } from './payload';
import { parseWaitMs } from './prefer';
import { createRowWatch, type RowWatch } from './row-watch';
import { toWire } from './view';

/** Pause before a retry when the workflow has too many updates or Temporal has dropped one. */
const RETRY_UPDATE_AFTER_MS = 150;

interface ConfirmDependencies extends ApiDependencies {
  readonly rows: RowWatch;
}

interface ConfirmRequest {
  readonly session: VerifiedSession;
  readonly intent: PaymentIntent;
  readonly requestId: string;
  readonly waitMs: number;
  /** The scanned code and its quote. Never log them. */
  readonly payload: ReadPayload | undefined;
}

export function confirmIntent(dependencies: ApiDependencies, credentials: Credentials) {
  const { settings, intents } = dependencies;
  const parts = { ...dependencies, rows: createRowWatch((ids) => intents.statuses(ids)) };
  return async (ctx: ApiContext, pathId: string): Promise<void> => {
    const session = await credentials.requireToken(ctx, 'confirm');
    if (session.boundTo !== pathId) throw rejectToken('bound_to_another_intent', session.use);
    const body = readBody(ctx);
    const { intent } = session;
    if (intent === undefined) throw new DomainError('not_found');
    const payload = requirePayload(body, intent.corridor, settings);
    const waitMs = parseWaitMs(ctx.get('Prefer'), settings.confirmWaitMs);
    const confirmed = await confirm(parts, {
      session,
      intent,
      requestId: ctx.state.requestId,
      waitMs,
      payload,
    });
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = toWire(confirmed);
  };
}

/**
 * Calls the workflow only if the intent is created and the token unused. The rows decide the rest.
 */
async function confirm(
  dependencies: ConfirmDependencies,
  request: ConfirmRequest,
): Promise<PaymentIntent> {
  const { intent, session } = request;
  const isForTheWorkflow = intent.status === 'created' && session.state === 'unused';
  const { answer, intent: current } = isForTheWorkflow
    ? await answerOfWorkflow(dependencies, request)
    : await answerFromRows(dependencies, request);
  switch (answer) {
    case 'accepted':
      return current;
    case 'spent':
      throw rejectToken('jti_used', session.use);
    case 'conflict':
      throw new DomainError('conflict');
    case 'other_payload':
      throw rejectPayload('other_payload');
    case 'undecided':
      // Even if the token has expired by this clock: the database's clock decides, and its
      // statement may still be running.
      throw new DomainError('unavailable', { reason: 'confirm_undecided' });
  }
}

async function answerOfWorkflow(
  dependencies: ConfirmDependencies,
  request: ConfirmRequest,
): Promise<ConfirmAnswer> {
  const { intent, session, requestId, payload } = request;
  if (session.closed !== null) throw closedError(session.closed, 'confirm');
  requirePayable(intent, payload?.code, dependencies.settings, payload?.quoteId !== undefined);
  if (session.issuer.hasDayLimit) await rejectOverDay(dependencies, intent);
  await storePayload(dependencies, request);
  const deadline = AbortSignal.timeout(ORCHESTRATION_WAIT_MAX_MS);
  const isAnswered = await requestWorkflow(dependencies, request, { deadline });
  const first = await answerFromRows(dependencies, request);
  if (!isAnswered || first.answer !== 'undecided') return first;
  // The workflow has authorized nothing: for the limit of the day, or because the quote has
  // expired or Postgres lost the code. If it was so for an earlier request with this token,
  // Temporal repeats that reply.
  await rejectOverDay(dependencies, intent);
  await storePayload(dependencies, request);
  await requestWorkflow(dependencies, request, { deadline, anewFor: requestId });
  return answerFromRows(dependencies, request);
}

async function rejectOverDay({ limits }: ApiDependencies, intent: PaymentIntent): Promise<void> {
  const retryAfterSeconds = await limits.untilDayAllows(intent.intentId);
  if (retryAfterSeconds === undefined) return;
  const detail = "The partner's limit of a day is reached.";
  const reason = 'usd_cents_per_day';
  throw new DomainError('limit_exceeded', { detail, reason, retryAfterSeconds });
}

type Asked = Pick<Waiting, 'deadline' | 'anewFor'>;

/**
 * Returns when the workflow has answered, when the row is settled, when the caller's wait is over
 * and the intent is authorized, or at the deadline of the call to Temporal. It does not cancel an
 * open update.
 * @returns whether the workflow has answered
 */
async function requestWorkflow(
  dependencies: ConfirmDependencies,
  request: ConfirmRequest,
  { deadline, anewFor }: Asked,
): Promise<boolean> {
  const over = new AbortController();
  const stop = AbortSignal.any([deadline, over.signal]);
  const answering = requestUntilAnswered(dependencies, request, { deadline, anewFor });
  const { rows } = dependencies;
  const isOver = [
    rows.until(request.intent.intentId, 'settled', stop),
    decidedAfterTimeout(dependencies, request, stop),
  ];
  try {
    const notAnswered = Promise.race(isOver).then(() => false);
    return await Promise.race([answering, notAnswered]);
  } finally {
    over.abort();
    // The call may still fail after the request is answered: do not leave it unhandled.
    answering.catch(() => undefined);
  }
}

/**
 * Retries while the row is undecided, because a workflow accepts only ten updates at a time and
 * Temporal may drop one.
 */
async function requestUntilAnswered(
  { runner, rows, installation }: ConfirmDependencies,
  { intent, session, waitMs, payload }: ConfirmRequest,
  { deadline, anewFor }: Asked,
): Promise<boolean> {
  const payment = toPaymentStart(intent, installation.id);
  const token = { ...session.use, ...(payload !== undefined && { hasQrPayload: true }) };
  const waiting = { waitForOutcome: waitMs > 0, deadline, anewFor };
  while (!deadline.aborted) {
    const answer = await runner.confirm(payment, token, waiting);
    if (answer !== 'busy') return answer === 'answered';
    // Not AbortSignal.timeout: if only `any` refers to it, it may be garbage-collected too early.
    const turn = new AbortController();
    const timer = setTimeout(() => turn.abort(), RETRY_UPDATE_AFTER_MS);
    const isOver = AbortSignal.any([deadline, turn.signal]);
    const isDecided = await rows.until(intent.intentId, 'decided', isOver);
    clearTimeout(timer);
    if (isDecided) return false;
  }
  return false;
}

/** Waits at least as long as the caller wants, then until the row is no longer `created`. */
async function decidedAfterTimeout(
  { rows }: ConfirmDependencies,
  { intent, waitMs }: ConfirmRequest,
  stop: AbortSignal,
): Promise<void> {
  await pause(waitMs, undefined, { signal: stop }).catch(() => undefined);
  await rows.until(intent.intentId, 'decided', stop);
}

async function answerFromRows(
  { tokens }: ApiDependencies,
  { intent, session, requestId, payload }: ConfirmRequest,
): Promise<ConfirmAnswer> {
  const answer = await retryOnce(() =>
    tokens.answerConfirm(intent.intentId, session.use, requestId, payload),
  );
  if (answer === undefined) throw new DomainError('not_found');
  return answer;
}
