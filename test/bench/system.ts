// A whole product, API and worker over one database, and what is sent to it: creates, confirms of payments that are ready, reads.
import type { TestPartner } from '../support/partner';
import { ENDED_RUN_KB, WAITING_RUN_KB, type Side } from './comparison';
import type { TemporalTarget } from './environments';
import type { Partners } from './partners';
import { openPayments, type Payments } from './payments';
import { confirmRequest, createRequest } from './requests';
import { untilStarted } from './starts';
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
  close(): Promise<void>;
}

/** The headers of one more create, beside those of its signature. */
type HeadersOf = () => Readonly<Record<string, string>>;

interface Ground {
  readonly world: World;
  readonly partners: Partners;
  readonly temporal: TemporalTarget;
  /** Of test/bench/reference/instant-endpoints.ts. */
  readonly endpoints: string;
  /** The world's own unless told. */
  readonly databaseUrl?: string;
}

export async function openSystem(ground: Ground): Promise<System> {
  const { world, partners, temporal, endpoints } = ground;
  const { databaseUrl = world.databaseUrl } = ground;
  const port = await world.startApi({ databaseUrl, temporal });
  await world.startWorker(temporal, { databaseUrl, providerUrl: endpoints });
  const payments = await openPayments(databaseUrl, temporal);
  const { database } = payments;
  return {
    port,
    payments,
    onboard: (name) => partners.onboard({ name, webhookUrl: `${endpoints}/webhooks`, database }),
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
    close: () => payments.close(),
  };
}

/** That many, beginning with the first again after the last. */
export function inTurn<Item>(items: readonly Item[], count: number): readonly Item[] {
  const laps = Math.ceil(count / items.length);
  return Array.from({ length: laps }, () => items)
    .flat()
    .slice(0, count);
}
