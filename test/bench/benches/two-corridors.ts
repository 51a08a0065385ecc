// Setup of the benches of slow providers: one API and one worker, the corridor to Thailand with a
// provider that answers at once, and the corridor to Vietnam with one whose pace the bench sets.
import type { Corridor } from '../../../src/corridors/names';
import type { Stand } from '../stand';
import { openPayments } from '../load/payments';

export type TwoCorridors = Awaited<ReturnType<typeof openTwoCorridors>>;

export async function openTwoCorridors({ world }: Stand) {
  const endpoints = await world.endpoints();
  const temporal = await world.temporal();
  const port = await world.startApi({ temporal });
  const vietnameseProviderUrl = `${endpoints}/paced`;
  await world.startWorker(temporal, { providerUrl: endpoints, vietnameseProviderUrl });
  const payments = await openPayments(world, world.databaseUrl, temporal);
  const partner = await world.onboard({
    name: 'siam-travel',
    webhookUrl: `${endpoints}/webhooks`,
  });
  return {
    port,
    begin: (corridor: Corridor, count: number) => payments.begin([partner], count, { corridor }),
    untilDelivered: () => payments.untilDelivered(),
    async countCaptured(): Promise<number> {
      const text = `select count(*) from payment_intents where status = 'captured'`;
      const { rows } = await payments.database.query<{ readonly count: number }>({ text });
      return rows[0]?.count ?? Number.NaN;
    },
    /** Milliseconds until Vietnam's provider answers an order. */
    async setPace(ms: number | 'silent'): Promise<void> {
      await fetch(`${endpoints}/pace?ms=${String(ms)}`, { method: 'POST' });
    },
  };
}
