// Setup of the benches that confirm payments of one partner at a steady pace, while something
// happens to another partner's.
import { connectTemporal } from '../../src/temporal/connection';
import { openPartners } from './partners';
import type { Begun } from './payments';
import type { Stand } from './stand';
import { confirmSteadily } from './steady-confirms';
import { openSystem } from './system';

export const CONFIRMS_PER_SECOND = 5;

export type TwoPartners = Awaited<ReturnType<typeof openTwoPartners>>;

export async function openTwoPartners({ world }: Stand) {
  const endpoints = `http://127.0.0.1:${await world.startReference('instant-endpoints.ts')}`;
  const partners = await openPartners(world);
  const temporal = await world.startTemporal();
  const system = await openSystem({ world, partners, temporal, endpoints });
  const [affected, other] = [
    await system.onboard('siam-travel'),
    await system.onboard('laos-travel'),
  ];
  const { payments, port } = system;
  const client = connectTemporal(temporal);
  return {
    affected,
    client,
    database: payments.database,
    beginAffected: (count: number, deadlineMs?: number) =>
      payments.begin([affected], count, deadlineMs),
    beginOthers: (count: number) => payments.begin([other], count),
    confirm: (begun: readonly Begun[]) =>
      confirmSteadily({ port, perSecond: CONFIRMS_PER_SECOND, payments: begun }),
    /** Workflows of the affected partner that match a Temporal list filter. */
    countAffected: async (filter: string) =>
      (await client.workflow.count(`PartnerId = '${affected.partnerId}' and ${filter}`)).count,
    async close() {
      partners.close();
      await client.connection.close();
      await system.close();
    },
  };
}
