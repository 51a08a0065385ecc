// POST /v1/payment_intents/{intent_id}/confirm (spec, "Endpoints"; decisions 5, 6 and 20). Rule R2: the answer is read
// from the intent row and the token row after Temporal came back in whatever way, and never from how far it got.
import { setTimeout as pause } from 'node:timers/promises';
import { toPaymentStart } from '../../src/domain/payment-start';
import type { ApiContext, ApiDependencies } from '../context';
import type { Credentials } from '../auth/credentials';
import type { VerifiedSession } from '../auth/session-token';
import { refuseToken } from '../auth/refusals';
import { DomainError } from '../../src/domain/errors';
import { ORCHESTRATION_WAIT_MAX_MS } from '../../src/domain/limits';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import type { IntentStore } from '../../src/ports/intent-store';
import type { ConfirmAnswer } from '../../src/ports/session-tokens';
import { parseWaitMs } from './prefer';
import { invalid, parseJsonObject } from './schema';
import { toWire } from './view';

/** Between two looks at the rows while the run is at its limit of updates, or has been asked and not answered. */
const LOOK_AGAIN_AFTER_MS = 150;

interface Asked {
  readonly session: VerifiedSession;
  readonly intent: PaymentIntent;
  readonly requestId: string;
  readonly waitMs: number;
}

export function confirmIntent(dependencies: ApiDependencies, credentials: Credentials) {
  const { settings } = dependencies;
  return async (ctx: ApiContext, pathId: string): Promise<void> => {
    const session = await credentials.requireToken(ctx, 'confirm');
    if (session.boundTo !== pathId) throw refuseToken('bound_to_another_intent', session.use);
    requireNoPayload(ctx);
    const { intent } = session;
    if (intent === undefined) throw new DomainError('not_found');
    const waitMs = parseWaitMs(ctx.get('Prefer'), settings.confirmWaitMs);
    const confirmed = await confirm(dependencies, {
      session,
      intent,
      requestId: ctx.state.requestId,
      waitMs,
    });
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = toWire(confirmed);
  };
}

/** The rows first: only a created intent whose token is unused needs its run. */
async function confirm(dependencies: ApiDependencies, asked: Asked): Promise<PaymentIntent> {
  const { intent, session } = asked;
  const isForTheRun = intent.status === 'created' && session.state === 'unused';
  if (isForTheRun) await askRun(dependencies, asked);
  const { answer, intent: today } = await answerFromRows(dependencies, asked);
  switch (answer) {
    case 'accepted':
      return today;
    case 'spent':
      throw refuseToken('jti_used', session.use);
    case 'conflict':
      throw new DomainError('conflict');
    case 'undecided':
      // Also for a token that has expired by our clock: the database's decides, and its statement may be under way.
      throw new DomainError('unavailable', { reason: 'confirm_undecided' });
  }
}

/**
 * Comes back when the run has answered, when the caller's patience is over and the intent is authorized, or when nobody
 * can be asked any longer.
 */
async function askRun(dependencies: ApiDependencies, asked: Asked): Promise<void> {
  const deadline = AbortSignal.timeout(ORCHESTRATION_WAIT_MAX_MS);
  const answered = new AbortController();
  const asking = askUntilAnswered(dependencies, asked, deadline).finally(() => {
    answered.abort();
  });
  const watching = watchRow(dependencies, asked, AbortSignal.any([deadline, answered.signal]));
  // Whichever loses the race may still fail, and nobody is left to be told.
  asking.catch(() => undefined);
  watching.catch(() => undefined);
  await Promise.race([asking, watching]);
}

/** A run takes ten updates at a time; more callers wait their turn here, as long as the row is undecided. */
async function askUntilAnswered(
  { runner, intents }: ApiDependencies,
  { intent, session, waitMs }: Asked,
  deadline: AbortSignal,
): Promise<void> {
  const waiting = { waitForOutcome: waitMs > 0, deadline };
  while (!deadline.aborted) {
    const answer = await runner.confirm(toPaymentStart(intent), session.use, waiting);
    if (answer !== 'busy') return;
    await pause(LOOK_AGAIN_AFTER_MS);
    if (!(await isUndecided(intents, intent))) return;
  }
}

/** Patience over, an intent that is authorized is answered as that; one that is not is waited for to the end. */
async function watchRow(
  { intents }: ApiDependencies,
  { intent, waitMs }: Asked,
  stop: AbortSignal,
): Promise<void> {
  await pause(waitMs, undefined, { signal: stop }).catch(() => undefined);
  while (!stop.aborted && (await isUndecided(intents, intent))) {
    await pause(LOOK_AGAIN_AFTER_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

async function isUndecided(intents: IntentStore, { intentId }: PaymentIntent): Promise<boolean> {
  return (await intents.find(intentId))?.status === 'created';
}

/** Asked once more when Postgres was away for a moment: the answer may have been recorded for this very request. */
async function answerFromRows(
  { tokens }: ApiDependencies,
  { intent, session, requestId }: Asked,
): Promise<ConfirmAnswer> {
  const ask = () => tokens.answerConfirm(intent.intentId, session.use, requestId);
  const answer = await ask().catch(async (error: unknown) => {
    if (!(error instanceof DomainError) || error.code !== 'unavailable') throw error;
    await pause(LOOK_AGAIN_AFTER_MS);
    return ask();
  });
  if (answer === undefined) throw new DomainError('not_found');
  return answer;
}

/** "Request body: none defined." The scanned code (decision 20) is not taken yet, and nothing sent is dropped silently. */
function requireNoPayload(ctx: ApiContext): void {
  const { body } = ctx.state;
  if (body.length === 0) return;
  if (Object.keys(parseJsonObject(body)).length > 0) {
    throw invalid('The body must be empty or an empty JSON object.');
  }
}
