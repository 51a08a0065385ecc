// Setup of the benches of slow providers: one API and one worker, a healthy corridor with a
// provider that answers at once, and a slow one with a provider whose pace the bench sets.
import type { Stand } from '../stand';
import { openPayments } from '../load/payments';
import {
  openRealProvider,
  type Adapter,
  type Pace,
  type SlowProvider,
} from '../load/real-provider';

export type TwoCorridors = Awaited<ReturnType<typeof openTwoCorridors>>;

/** @param adapter of the slow corridor; by default our own protocol */
export async function openTwoCorridors({ world }: Stand, adapter?: Adapter) {
  const endpoints = await world.endpoints();
  const temporal = await world.temporal();
  const slow = adapter ? await openRealProvider(world, adapter) : pacedProvider(endpoints);
  const where = { temporal, providerUrl: endpoints, settings: slow.settings };
  const port = await world.startApi(where);
  await world.startWorker(temporal, where);
  const payments = await openPayments(world, world.databaseUrl, temporal);
  const partner = await world.onboard({
    name: 'siam-travel',
    webhookUrl: `${endpoints}/webhooks`,
  });
  const healthy = { corridor: slow.corridor === 'vn_qrpay' ? 'th_qrpay' : 'vn_qrpay' } as const;
  const corridors = { healthy, slow };
  return {
    port,
    begin: (corridor: keyof typeof corridors, count: number) =>
      payments.begin([partner], count, corridors[corridor]),
    untilDelivered: () => payments.untilDelivered(),
    async countCaptured(): Promise<number> {
      const text = `select count(*) from payment_intents where status = 'captured'`;
      const { rows } = await payments.database.query<{ readonly count: number }>({ text });
      return rows[0]?.count ?? Number.NaN;
    },
    /** Milliseconds until the slow corridor's provider answers an order. */
    setPace: (pace: Pace) => slow.setPace(pace),
  };
}

function pacedProvider(endpoints: string): SlowProvider {
  return {
    corridor: 'vn_qrpay',
    settings: { PROVIDER_URL_VN_QRPAY: `${endpoints}/paced` },
    async setPace(pace) {
      await fetch(`${endpoints}/pace?ms=${String(pace)}`, { method: 'POST' });
    },
  };
}
