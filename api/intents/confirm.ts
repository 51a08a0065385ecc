// POST /v1/payment_intents/{intent_id}/confirm (protocol 5.5; decisions 5, 6 and 20). The answer
// comes from the intent row and the token row, whatever Temporal reports (rule R2).
import { setTimeout as pause } from 'node:timers/promises';
import { toPaymentStart } from '../../src/domain/intents/payment-start';
import type { ApiContext, ApiDependencies, ApiSettings } from '../context';
import type { Credentials } from '../auth/credentials';
import type { VerifiedSession } from '../auth/session-token';
import { rejectToken } from '../auth/rejections';
import { DomainError } from '../../src/domain/errors';
import { ORCHESTRATION_WAIT_MAX_MS } from '../../src/domain/limits';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import type { LocalAmount } from '../../src/domain/money';
import { parseQrPayload, type QrPayload } from '../../src/domain/qr/payload';
import { isQrRejection } from '../../src/domain/qr/rejection';
import type { Waiting } from '../../src/ports/intents';
import type { ConfirmAnswer } from '../../src/ports/partners';
import { retryOnce } from './ask-again';
import { requirePayable } from './payable';
import { parseWaitMs } from './prefer';
import { createRowWatch, type RowWatch } from './row-watch';
import { invalid, parseConfirmRequest, requireJson } from './schema';
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
  /** The scanned code. Never log it: it may contain a card number. */
  readonly code: QrPayload | undefined;
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
    const code = requirePayload(scanned, intent, settings);
    const waitMs = parseWaitMs(ctx.get('Prefer'), settings.confirmWaitMs);
    const confirmed = await confirm(parts, {
      session,
      intent,
      requestId: ctx.state.requestId,
      waitMs,
      code,
    });
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = toWire(confirmed);
  };
}

/** A body with a code must be declared as JSON (decision 24). Other bodies need no media type. */
function readBody(ctx: ApiContext): string | undefined {
  const { qrPayload } = parseConfirmRequest(ctx.state.body);
  if (qrPayload !== undefined) requireJson(ctx.req);
  return qrPayload;
}

/** Validates the code for the intent's corridor. Error details never contain parts of the code. */
function requirePayload(
  scanned: string | undefined,
  { corridor }: PaymentIntent,
  { isQrPayloadRequired }: ApiSettings,
): QrPayload | undefined {
  if (scanned === undefined) {
    if (isQrPayloadRequired[corridor]) throw invalid('qr_payload is required for this corridor.');
    return undefined;
  }
  const read = parseQrPayload(scanned, corridor);
  if (!isQrRejection(read)) return read;
  const { rejection, sentence } = read;
  throw new DomainError('validation_failed', { detail: sentence, reason: `qr_${rejection}` });
}

const localOf = ({ currency, amountMinorUnits: minor }: QrPayload): LocalAmount | null =>
  minor === null ? null : { currency: currency.code, minor };

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
      throw rejectPayload();
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
  const { intent, session, requestId } = request;
  requirePayable(intent, request.code, dependencies.settings);
  if (session.issuer.hasDayLimit) await rejectOverDay(dependencies, intent);
  await storePayload(dependencies, request);
  const deadline = AbortSignal.timeout(ORCHESTRATION_WAIT_MAX_MS);
  const isAnswered = await requestWorkflow(dependencies, request, { deadline });
  const first = await answerFromRows(dependencies, request);
  if (!isAnswered || first.answer !== 'undecided') return first;
  // The workflow has authorized nothing: for the limit of the day, or because Postgres lost the
  // code. If it was so for an earlier request with this token, Temporal repeats that reply.
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

/**
 * Stores the code before the workflow is called, so that any authorization by this token finds it.
 * The code itself never enters the workflow.
 */
async function storePayload({ tokens }: ApiDependencies, request: ConfirmRequest): Promise<void> {
  const { intent, session, code } = request;
  if (code === undefined) return;
  const isFirst = await tokens.storePayload(intent.intentId, session.use, code.raw, localOf(code));
  if (!isFirst) throw rejectPayload();
}

/** A repeat cannot succeed: the first code of a token is never replaced. */
function rejectPayload(): DomainError {
  const detail = 'This qr_payload differs from the one that was sent first.';
  return new DomainError('conflict', { detail, reason: 'other_payload' });
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
  { intent, session, waitMs, code }: ConfirmRequest,
  { deadline, anewFor }: Asked,
): Promise<boolean> {
  const payment = toPaymentStart(intent, installation.id);
  const token = { ...session.use, ...(code !== undefined && { hasQrPayload: true }) };
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
  { intent, session, requestId, code }: ConfirmRequest,
): Promise<ConfirmAnswer> {
  const answer = await retryOnce(() =>
    tokens.answerConfirm(intent.intentId, session.use, requestId, code?.raw),
  );
  if (answer === undefined) throw new DomainError('not_found');
  return answer;
}
