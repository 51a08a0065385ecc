// POST /v1/payment_intents (protocol 5.2). It answers once Postgres has committed; the workflow
// starts a moment later.
import { toPaymentStart } from '../../src/domain/intents/payment-start';
import type { ApiContext, ApiDependencies } from '../context';
import type { Credentials } from '../auth/credentials';
import { headerValues } from '../headers';
import { rejectNonce } from '../auth/rejections';
import { createHash } from 'node:crypto';
import { DomainError } from '../../src/domain/errors';
import { ID_RANDOM_BYTES, makeIntentId } from '../../src/domain/ids';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import type { CreateIntentCommand, CreateIntentOutcome } from '../../src/ports/intents';
import type { SignedCaller } from '../../src/ports/partners';
import { closedError } from './closed';
import { invalid, parseCreateRequest, parseIdempotencyKey, requireJson } from './schema';
import { amountAboveMaximum } from './payable';
import { toWire } from './view';

export function createIntent(dependencies: ApiDependencies, credentials: Credentials) {
  const { intents, runner, settings } = dependencies;
  const isBelowMinimum = ({ amountUsdCents, corridor }: CreateIntentCommand): boolean =>
    amountUsdCents < settings.minimumUsdCents[corridor];
  return async (ctx: ApiContext): Promise<void> => {
    const caller = await credentials.requireSignature(ctx);
    const command = await parseOrSpend(ctx, caller);
    const result = await intents.create(command);
    if (!('intent' in result)) throw rejectionOf(result, isBelowMinimum(command), caller);
    if (result.outcome === 'replayed') ctx.set('Idempotent-Replayed', 'true');
    else {
      runner.begin(toPaymentStart(result.intent, dependencies.installation.id));
      // A limit that was set meanwhile holds from the next create on. This one is committed.
      await credentials.follow(result.directoryVersion).catch(() => undefined);
    }
    ctx.state.about = { ...ctx.state.about, intent_id: result.intent.intentId };
    ctx.status = 201;
    ctx.type = 'application/json; charset=utf-8';
    // A replay repeats the original answer, whatever the intent's status is by then (decision 14).
    ctx.body = toWire(result.intent, 'created');
  };

  /** An invalid request must use up its nonce too, or it could be replayed. */
  async function parseOrSpend(ctx: ApiContext, caller: SignedCaller): Promise<CreateIntentCommand> {
    try {
      return toCommand(dependencies, ctx, caller);
    } catch (error) {
      await credentials.spendNonce(caller);
      throw error;
    }
  }
}

function rejectionOf(
  result: Exclude<CreateIntentOutcome, { readonly intent: PaymentIntent }>,
  isBelowMinimum: boolean,
  caller: SignedCaller,
): DomainError {
  switch (result.outcome) {
    case 'rejected':
      return rejectNonce(result.why, caller);
    case 'closed':
      return closedError(result.why, 'create');
    case 'amount_not_allowed':
      return isBelowMinimum ? new DomainError('amount_below_minimum') : amountAboveMaximum();
    case 'second_full':
      return new DomainError('limit_exceeded', {
        detail: 'The limit of intents a second is reached.',
        reason: 'intents_per_second',
      });
    case 'key_reused':
      return invalid('Idempotency-Key was used with another body.');
  }
}

function toCommand(
  { clock, randomness, installation, settings }: ApiDependencies,
  ctx: ApiContext,
  caller: SignedCaller,
): CreateIntentCommand {
  requireJson(ctx.req);
  const request = parseCreateRequest(ctx.state.body);
  const key = parseIdempotencyKey(headerValues(ctx.req, 'idempotency-key'));
  return {
    caller,
    ...request,
    intentId:
      key === undefined
        ? makeIntentId(clock.now().getTime(), randomness.bytes(ID_RANDOM_BYTES))
        : installation.intentIdOf(caller.partnerId, key),
    timeToLiveSeconds: settings.intentTtlSeconds,
    isAmountAllowed:
      request.amountUsdCents >= settings.minimumUsdCents[request.corridor] &&
      request.amountUsdCents <= settings.maximumUsdCents[request.corridor],
    idempotency: key === undefined ? undefined : { key, bodyDigest: digest(ctx.state.body) },
  };
}

function digest(body: Buffer): Uint8Array {
  return createHash('sha256').update(body).digest();
}
