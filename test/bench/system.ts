// A whole product, API and worker over one database, and what is sent to it: creates, confirms of payments that are ready, reads.
import type { TestPartner } from '../support/payments/partner';
import { ENDED_RUN_KB, WAITING_RUN_KB, type Side } from './figures/comparison';
import { inTurn, openPayments, untilStarted, type Payments } from './load/payments';
import { confirmRequest, createRequest } from './load/requests';
import type { World } from './world';

export interface System {
  readonly port: number;
  readonly payments: Payments;
  /** Webhooks go to an endpoint that takes them at once. */
  onboard(name: string): Promise<TestPartner>;
  /** By these partners in turn. The block waits until each intent's workflow is started. */
  creates(by: readonly TestPartner[], headersOf?: HeadersOf): Side;
  /** Of these partners in turn; a payment counts until its webhook is delivered. */
  confirms(of: readonly TestPartner[]): Side;
}

/** The headers of one more create, beside those of its signature. */
type HeadersOf = () => Readonly<Record<string, string>>;

/** Over the world's database and the server's first namespace, unless others are given. */
export async function openSystem(
  world: World,
  place: { readonly databaseUrl?: string; readonly namespace?: string } = {},
): Promise<System> {
  const { databaseUrl = world.databaseUrl } = place;
  const endpoints = await world.endpoints();
  const temporal = await world.temporal();
  const target = { ...temporal, namespace: place.namespace ?? temporal.namespace };
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
      leavesKb: WAITING_RUN_KB,
      settle: () => untilStarted(database),
    }),
    confirms: (of) => ({
      port,
      async prepare(count) {
        const begun = await payments.begin(of, count);
        return begun.map(({ partner, intent }) => confirmRequest(partner, intent));
      },
      leavesKb: ENDED_RUN_KB,
      finish: () => payments.untilTold(),
    }),
  };
}
