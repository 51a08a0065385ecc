// The reference: workflows with the shape of a captured payment whose activities do nothing, on the
// same Temporal server.
import { randomUUID } from 'node:crypto';
import { until } from '../../../src/dev/until';
import { connectTemporal } from '../../../src/temporal/connection';
import { sendBlock } from '../figures/comparison';
import type { TemporalTarget } from '../environments';
import { toBytes } from '../load/requests';
import type { World } from '../world';
import { IN_FLIGHT, timeBlock, type Measurable } from './scaled-system';

const ANSWER = { status: '200', contains: '"status":"captured"' };
/** Confirmed workflows that have not ended. Workflows of a block of creates are never confirmed. */
const UNDER_WAY = `WorkflowType = 'barePayment' AND ExecutionStatus = 'Running' AND PaymentStatus = 'captured'`;
const ENDED_WITHIN_MS = 60_000;
const READ_EVERY_MS = 100;

export async function openBare(world: World, temporal: TemporalTarget): Promise<Measurable> {
  const { environment } = temporal;
  await world.startReference('bare-payment-worker.ts', environment);
  const port = await world.startReference('bare-payment-starter.ts', environment);
  const client = connectTemporal(temporal);
  world.atTheEnd(() => client.connection.close());
  const send = (verb: 'create' | 'confirm', ids: readonly string[]) => {
    const headers = { 'Content-Length': '0' };
    const requests = ids.map((id) => toBytes({ method: 'POST', path: `/${verb}/${id}`, headers }));
    return sendBlock({ port, inFlight: IN_FLIGHT, requests, answer: ANSWER }, { world });
  };
  const untilEnded = async () => {
    const haveEnded = async () => (await client.workflow.count(UNDER_WAY)).count === 0;
    if (await until(haveEnded, { timeoutMs: ENDED_WITHIN_MS, everyMs: READ_EVERY_MS })) return;
    throw new Error('bare payments are still under way after a minute');
  };
  return {
    async runBlock(kind, count) {
      const ids = Array.from({ length: count }, () => randomUUID());
      if (kind === 'confirm') await send('create', ids);
      return timeBlock(world, count, {
        async send() {
          await send(kind, ids);
          if (kind === 'confirm') await untilEnded();
        },
        settle: () => Promise.resolve(),
      });
    },
  };
}
