// Payments whose payout is unknown, and what operations declare about them, under time skipping.
import type { PaymentStart } from '../../src/domain/payment-start';
import { resolvePayoutUpdate, type Resolution } from '../../workflows/messages';
import type { PaymentWorld } from '../support/payment-world';

export const EVIDENCE = 'the provider’s statement of 2026-03-02, line 7';
export const declared = (outcome: Resolution['outcome'], actor = 'ann'): Resolution => ({
  outcome,
  actor,
  evidence: EVIDENCE,
});

export async function endingOf(world: PaymentWorld): Promise<unknown> {
  const { rows } = await world.database.query({
    text: `select i.status, i.attention_reason,
                  array(select split_part(transfer_key, ':', 2) from ledger_transfers t
                         where t.intent_id = i.intent_id order by created_at) as steps
             from payment_intents i`,
  });
  return rows[0];
}

/** A payment whose outcome the provider does not tell: attention is raised. */
export async function anUnknownPayment(world: PaymentWorld) {
  const payment = await world.create();
  const run = await world.start(payment);
  await world.confirmAndWait(payment, '20 minutes');
  return { payment, run, resolve: resolver(world, payment) };
}

export function resolver(world: PaymentWorld, { intentId }: PaymentStart) {
  return (resolution: Resolution) =>
    world.environment.client.workflow
      .getHandle(intentId)
      .executeUpdate(resolvePayoutUpdate, { args: [resolution] });
}
