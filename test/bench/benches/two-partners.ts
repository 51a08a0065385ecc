// Setup of the benches that confirm payments of one partner at a steady pace, while something
// happens to another partner's.
import { connectTemporal } from '../../../src/temporal/connection';
import type { BeginOptions, Begun } from '../load/payments';
import type { Stand } from '../stand';
import { confirmSteadily } from './steady-confirms';
import { openSystem } from '../system';

export const CONFIRMS_PER_SECOND = 5;

export type TwoPartners = Awaited<ReturnType<typeof openTwoPartners>>;

export async function openTwoPartners({ world }: Stand) {
  const { payments, port, onboard } = await openSystem(world);
  const affected = await onboard('siam-travel');
  const other = await onboard('laos-travel');
  const client = connectTemporal(await world.temporal());
  world.atTheEnd(() => client.connection.close());
  return {
    affected,
    client,
    database: payments.database,
    beginAffected: (count: number, options?: BeginOptions) =>
      payments.begin([affected], count, options),
    beginOthers: (count: number) => payments.begin([other], count),
    confirm: (begun: readonly Begun[]) =>
      confirmSteadily({ port, perSecond: CONFIRMS_PER_SECOND, payments: begun }),
    /** Workflows of the affected partner that match a Temporal list filter. */
    countAffected: async (filter: string) =>
      (await client.workflow.count(`PartnerId = '${affected.partnerId}' and ${filter}`)).count,
  };
}
