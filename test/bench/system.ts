// API and worker over one database, and the requests of the benches: creates, and confirms of
// prepared payments.
import type { TestPartner } from '../support/payments/partner';
import { COMPLETED_WORKFLOW_KB, WAITING_WORKFLOW_KB, type Side } from './figures/comparison';
import { inTurn, openPayments, untilStarted, type Payments } from './load/payments';
import { confirmRequest, createRequest } from './load/requests';
import { temporalTarget } from './environments';
import type { World } from './world';

export interface System {
  readonly port: number;
  readonly payments: Payments;
  /** Webhooks go to an endpoint that answers at once. */
  onboard(name: string): Promise<TestPartner>;
  /**
   * Creates by these partners in turn. The block waits until the workflow of each intent is
   * started.
   */
  creates(by: readonly TestPartner[], headersOf?: HeadersOf): Side;
  /** Confirms for these partners in turn. A payment takes until its webhook is delivered. */
  confirms(of: readonly TestPartner[]): Side;
}

/** Makes the headers of the next create, in addition to those of its signature. */
type HeadersOf = () => Readonly<Record<string, string>>;

/** Uses the world's database and the first namespace of the Temporal server by default. */
export async function openSystem(
  world: World,
  place: { readonly databaseUrl?: string; readonly namespace?: string } = {},
): Promise<System> {
  const { databaseUrl = world.databaseUrl } = place;
  const endpoints = await world.endpoints();
  const temporal = await world.temporal();
  const target = temporalTarget({
    ...temporal.environment,
    TEMPORAL_NAMESPACE: place.namespace ?? temporal.namespace,
  });
  const port = await world.startApi({ databaseUrl, temporal: target });
  await world.startWorker(target, { databaseUrl, providerUrl: endpoints });
  const payments = await openPayments(world, databaseUrl, target);
  const { database } = payments;
  return {
    port,
    payments,
    onboard: (name) => world.onboard({ name, webhookUrl: `${endpoints}/webhooks`, database }),
    creates: (by, headersOf = () => ({})) => ({
      port,
      prepare: (count) =>
        Promise.resolve(inTurn(by, count).map((partner) => createRequest(partner, headersOf()))),
      leavesKb: WAITING_WORKFLOW_KB,
      settle: () => untilStarted(database),
    }),
    confirms: (of) => ({
      port,
      async prepare(count) {
        const begun = await payments.begin(of, count);
        return begun.map(confirmRequest);
      },
      leavesKb: COMPLETED_WORKFLOW_KB,
      finish: () => payments.untilDelivered(),
    }),
  };
}
