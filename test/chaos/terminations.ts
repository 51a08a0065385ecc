// An operator terminates runs that are under way: it costs them time, and nobody money (architecture, section 3).
import type { Client } from '@temporalio/client';
import type { Database } from '../../src/postgres/database';

const AT_ONCE = 3;

/** Of payments that are open, or whose webhook is owed. Answers how many runs were terminated. */
export async function terminateSome(client: Client, database: Database): Promise<number> {
  const { rows } = await database
    .query<{ intent_id: string }>({
      text: `select i.intent_id from payment_intents i
              where i.status in ('created', 'authorized')
                 or exists (select from webhook_events v where v.intent_id = i.intent_id and v.state = 'owed')
              order by random() limit $1`,
      values: [AT_ONCE],
    })
    .catch(() => ({ rows: [] }));
  const terminated = await Promise.allSettled(
    rows.map(({ intent_id: id }) => client.workflow.getHandle(id).terminate('chaos')),
  );
  return terminated.filter(({ status }) => status === 'fulfilled').length;
}
