// What a capture and a failure need in the rows (decision 145): the provider's answer, or an
// operator's verified resolution.
import type { IntentId } from '../../../src/domain/ids';
import {
  INSUFFICIENT_FUNDS,
  type TransitionCommand,
  type TransitionReport,
} from '../../../src/domain/intents/transition';
import type { IntentStore } from '../../../src/ports/intents';
import type { Queryable } from '../../../src/postgres/database';
import { NO_DETAILS } from './answers';

interface Stores {
  readonly intents: IntentStore;
  readonly database?: Queryable;
}

/** By the system with the provider's answer, by anybody else with a resolution. */
export async function moveProven(
  { intents, database }: Stores,
  command: TransitionCommand & { readonly event: 'capture' | 'fail' },
): Promise<TransitionReport> {
  const { intentId, event, actor } = command;
  if (actor !== 'system') {
    const proven = { reason: 'by hand', ...command };
    await proveResolution(database, proven);
    return intents.transition(proven);
  }
  if (event === 'capture') return capturePaid(intents, intentId);
  await database?.query({
    text: `update payouts set answer = 'unpaid' where intent_id = $1`,
    values: [intentId],
  });
  // Without a payout a payment can only have failed for want of money.
  const failing = { reason: INSUFFICIENT_FUNDS, ...command };
  const report = await intents.transition(failing);
  if (report.outcome !== 'not_queried' || database === undefined) return report;
  // Without a running restore watch the provider has to be queried first.
  const queryId = 'answered';
  await database.query({
    text: 'update payment_intents set unpaid_by_query = $2 where intent_id = $1',
    values: [intentId, queryId],
  });
  return intents.transition({ ...failing, queryId });
}

/** The capture of a payout activity that has got the answer "paid". */
export async function capturePaid(
  intents: IntentStore,
  intentId: IntentId,
): Promise<TransitionReport> {
  const intent = await intents.find(intentId);
  if (intent === undefined) throw new Error(`no row for ${intentId}`);
  const { amountUsdCents, corridor, createdAt } = intent;
  const terms = { amountUsdCents, corridor, createdAtMs: +createdAt };
  return intents.capturePaid(intentId, terms, NO_DETAILS);
}

/** Writes an operator's resolution that permits the step, as verified a moment ago. */
export async function proveResolution(
  database: Queryable | undefined,
  { intentId, event, actor, reason }: TransitionCommand,
): Promise<void> {
  await database?.query({
    text: `with locked as (
             update payouts set locked_until = service_now() + interval '60 s'
              where intent_id = $1
           )
           insert into payout_resolutions
                  (intent_id, outcome, actor, reason, is_provider_gone, verified_attempts)
           select i.intent_id, $2, $3, $4, false, coalesce(p.attempts, 0)
             from payment_intents i left join payouts p using (intent_id) where i.intent_id = $1`,
    values: [intentId, event === 'capture' ? 'paid' : 'declined', actor, reason],
  });
}
