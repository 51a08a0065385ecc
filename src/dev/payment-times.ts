// When each step of a payment happened, asked of the systems that did it: our Postgres and the provider's journal.
import { z } from 'zod';
import { createDatabase } from '../postgres/database';

/** Instants, milliseconds since 1970. */
export interface PaymentTimes {
  readonly authorized: number;
  readonly debited: number;
  readonly paidOut: number;
  readonly captured: number;
}

const journalSchema = z.array(z.object({ key: z.string(), executed_at: z.string() }));
const rowSchema = z.object({
  authorized: z.number(),
  debited: z.number(),
  captured: z.number(),
});

const STEPS = `
  select (select extract(epoch from at)::float8 * 1000 from intent_transitions
           where intent_id = $1 and to_status = 'authorized') as authorized,
         (select extract(epoch from created_at)::float8 * 1000 from ledger_transfers
           where transfer_key = $1 || ':debit') as debited,
         (select extract(epoch from at)::float8 * 1000 from intent_transitions
           where intent_id = $1 and to_status = 'captured') as captured`;

/** @throws when the payment did not take all of these steps */
export async function readPaymentTimes(
  intentId: string,
  where: { readonly database: string; readonly provider: string },
): Promise<PaymentTimes> {
  const [steps, paidOut] = await Promise.all([
    readSteps(intentId, where.database),
    readExecution(`${intentId}:payout`, where.provider),
  ]);
  return { ...steps, paidOut };
}

async function readSteps(intentId: string, url: string): Promise<z.infer<typeof rowSchema>> {
  const database = createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
  try {
    const { rows } = await database.query({ text: STEPS, values: [intentId] });
    return rowSchema.parse(rows[0]);
  } finally {
    await database.close();
  }
}

async function readExecution(key: string, provider: string): Promise<number> {
  const answer = await fetch(`${provider}/journal`);
  const entries = journalSchema.parse(await answer.json()).filter((entry) => entry.key === key);
  const [entry] = entries;
  if (entry === undefined || entries.length > 1) {
    throw new Error(`the provider's journal holds ${String(entries.length)} payouts for ${key}`);
  }
  return Date.parse(entry.executed_at);
}
