// The processes of a life: workers with the real activities, which die and freeze and are replaced,
// and the pollers.
import { byCorridor } from '../../../src/corridors/names';
import type { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import {
  createPaymentActivities,
  createWebhookActivities,
  createWebhookSend,
} from '../../../activities';
import { createEndpointSlots, createEndpointSpeeds } from '../../../src/domain/webhooks/endpoints';
import { createFundsAccount } from '../../../src/postgres/ledger/holding-account';
import { createReturnWatch } from '../../../src/main/worker/return-watch';
import { createLostCommits } from '../../../src/postgres/payouts/lost-commits';
import { createPaymentClaims } from '../../../src/postgres/intents/claims';
import { createPaidAsks } from '../../../src/postgres/payouts/paid-asks';
import { createPayoutRechecks } from '../../../src/postgres/payouts/rechecks';
import { createPayoutJournal } from '../../../src/postgres/payouts/journal';
import { createPayoutLock } from '../../../src/postgres/payouts/lock';
import { createPayoutStops } from '../../../src/postgres/payouts/stops';
import { createWebhookStore } from '../../../src/postgres/webhooks/store';
import { createDeadlinePoller } from '../../../src/temporal/deadline-poller';
import { createWorkflowRepairer } from '../../../src/temporal/workflow-repairer';
import { startDelivery } from '../../../src/temporal/starts';
import { restoreWatchOn } from '../../support/payments/restore-watch';
import { SILENT } from '../../support/silent-log';
import { NO_CODE_REQUIRED } from '../../support/payments/qr-codes';
import { INSTALLATION } from '../../support/builders';
import type { World } from './world';
import { MESSAGE_NAMES, send, type Message, type Actors } from './stories';
import { SimulatedWorker } from '../temporal/worker';
import { providerHealth, recordSlow } from '../../support/payments/provider-health';
import { ONE_ACCOUNT } from '../../support/payments/accounts';

/** What may happen to a worker at each step. */
const FATES = [
  '',
  'the worker dies',
  'the worker freezes for 6 s',
  'the worker freezes for 20 s',
  'the worker freezes for 90 s',
  ...MESSAGE_NAMES,
] as const;
const FROZEN_MS = {
  'the worker freezes for 6 s': 6_000,
  'the worker freezes for 20 s': 20_000,
  'the worker freezes for 90 s': 90_000,
};
const RESTART_MS = 1_000;
const WEBHOOKS_PER_ENDPOINT = 8;
/** The value of `npm start`. */
const PAYOUT_UNKNOWN_SECONDS = 15;

export class Processes {
  private current: SimulatedWorker | undefined;
  private readonly all: SimulatedWorker[] = [];

  private readonly world: World;
  private readonly creator: ReusableVMWorkflowCreator;
  private readonly actors: Actors;

  constructor(world: World, creator: ReusableVMWorkflowCreator, actors: Actors) {
    this.world = world;
    this.creator = creator;
    this.actors = actors;
    this.launch();
  }

  readonly poller = () => this.current;

  async dispose(): Promise<void> {
    for (const worker of this.all) await worker.dispose();
  }

  private launch(): void {
    const owner = `worker-${String(this.all.length + 1)}`;
    const fate = (point: string) => this.meet(owner, point);
    const worker = new SimulatedWorker({
      ...{ owner, fate, creator: this.creator, server: this.world.server },
      activities: this.activities(fate),
    });
    this.current = worker;
    this.all.push(worker);
  }

  private async meet(owner: string, point: string): Promise<void> {
    const { fibers, choices } = this.world;
    const fate = choices.fault(`the worker, where ${point}`, FATES);
    if (fate === '') return;
    if (isMessage(fate)) {
      send(this.world, this.actors, fate);
      return;
    }
    if (this.current?.owner === owner) {
      this.current = undefined;
      fibers.spawn('another worker starts', 'supervisor', async () => {
        await fibers.sleep(RESTART_MS);
        this.launch();
      });
    }
    if (fate === 'the worker dies') await fibers.kill(owner);
    else {
      fibers.freeze(owner, FROZEN_MS[fate]);
      await fibers.sleep(0);
    }
  }

  /** The breaker of a single payment never opens, so its time may stand still. */
  private providerHealth() {
    const health = providerHealth();
    if (this.world.isProviderSlow) Object.values(health).forEach(recordSlow);
    return health;
  }

  private activities(fate: (point: string) => Promise<void>) {
    const { postgres, endpoint, clock, random, seal, fibers, intentsOn } = this.world;
    const database = postgres.of(fate);
    const webhooks = {
      ...{ store: createWebhookStore(database, seal), sender: endpoint.of(fate), clock, random },
      slots: createEndpointSlots(WEBHOOKS_PER_ENDPOINT),
      speeds: createEndpointSpeeds(),
      metrics: { webhookAttempted: () => undefined },
      log: SILENT,
    };
    const funds = createFundsAccount(database);
    return {
      ...createPaymentActivities({
        intents: intentsOn(database),
        funds: this.world.isDebitAlone ? { ...funds, joinsAuthorize: () => false } : funds,
        payoutJournal: createPayoutJournal(database),
        payoutLock: createPayoutLock(database),
        payoutStops: createPayoutStops(database),
        rechecks: createPayoutRechecks(database),
        paidAsks: createPaidAsks(database),
        lostCommits: createLostCommits(database),
        restoreWatch: restoreWatchOn(database),
        verifyNamespace: () => Promise.resolve(),
        ...ONE_ACCOUNT,
        ...accountsOf(this.world, fate, this.all.length === 0),
        providerHealth: this.providerHealth(),
        startStopwatch: () => {
          const sinceMs = fibers.nowMs;
          return () => fibers.nowMs - sinceMs;
        },
        pause: (ms) => fibers.sleep(ms),
        endpointSpeeds: { isFast: () => this.world.isEndpointFast },
        installationId: INSTALLATION.id,
        payoutUnknownSeconds: PAYOUT_UNKNOWN_SECONDS,
        isOperatorConfirmAllowed: true,
        isQrPayloadRequired: NO_CODE_REQUIRED,
        log: SILENT,
      }),
      ...createWebhookActivities(webhooks),
    };
  }
}

/** The workers after the first may have another account. */
function accountsOf(
  { provider, laterProvider }: World,
  fate: (point: string) => Promise<void>,
  isOfFirst: boolean,
) {
  const own = (isOfFirst ? provider : laterProvider).of(fate);
  const former = isOfFirst || laterProvider === provider ? [] : [provider.of(fate)];
  return { providers: byCorridor(() => own), formerProviders: byCorridor(() => former) };
}

function isMessage(fate: (typeof FATES)[number]): fate is Message {
  return (MESSAGE_NAMES as readonly string[]).includes(fate);
}

/** The pollers of a worker: workflow repairer, deadline poller, return watch, webhook poller. */
export function pollersOf(world: World) {
  const { postgres, client, clock, intentsOn, seal, endpoint, random } = world;
  const fate = () => Promise.resolve();
  const database = postgres.of(fate);
  const payments = createPaymentClaims(database, INSTALLATION.id);
  const intents = intentsOn(database);
  const rows = createLostCommits(database);
  const shared = { client, rows, payments, intents, clock, log: SILENT };
  const reconciler = createWorkflowRepairer({
    ...shared,
    rechecks: createPayoutRechecks(database),
  });
  const deadlines = createDeadlinePoller(shared);
  const asks = createPaidAsks(database);
  const accounts = accountsOf(world, fate, false);
  const returns = createReturnWatch({ ...accounts, asks, queriesPerSecond: 20, log: SILENT });
  const store = createWebhookStore(database, seal);
  const sendOnce = createWebhookSend({
    speeds: createEndpointSpeeds(),
    ...{ store, sender: endpoint.of(fate), clock, random, log: SILENT },
    metrics: { webhookAttempted: () => undefined },
  });
  return {
    async payments() {
      await reconciler.poll().catch(ignore);
      await deadlines.poll().catch(ignore);
    },
    returns: () => returns.poll('th_qrpay').catch(ignore),
    async webhooks() {
      for (const { partnerId } of await store.readWaiting().catch(() => [])) {
        const event = await store.claimWaiting(partnerId).catch(() => undefined);
        if (event === undefined) continue;
        const sent = await sendOnce(event).catch(ignore);
        if (typeof sent?.retryInMs === 'number') await startDelivery(client, event).catch(ignore);
      }
    },
  };
}

export type Pollers = ReturnType<typeof pollersOf>;

/** The product's pollers log an error and poll again. */
function ignore(): undefined {
  return undefined;
}
