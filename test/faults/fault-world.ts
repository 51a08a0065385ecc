// A payment world in which the webhooks are delivered too, activities fail where that was planned, and a debit can be
// held: one world for all the faults of one path.
import { createHash, randomBytes } from 'node:crypto';
import { Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { createWebhookActivities, type WebhookActivities } from '../../activities';
import { createEndpointSlots } from '../../src/domain/endpoint-slots';
import { webhookSecretOwner } from '../../src/domain/webhook-event';
import type { EventId } from '../../src/domain/ids';
import type { PaymentStart } from '../../src/domain/payment-start';
import type { WebhookPost } from '../../src/ports/webhook-sender';
import { createWebhookStore } from '../../src/postgres/webhook-store';
import { createSecretSeal } from '../../src/signing/sealed-secret';
import { WEBHOOKS_QUEUE } from '../../workflows/messages';
import { inPaymentWorld, type PaymentWorld } from '../support/payment-world';
import type { ScriptedOutcome } from '../support/scripted-provider';
import { scriptedSender } from '../support/scripted-sender';
import { SILENT } from '../support/silent-log';
import { createGates, type Gate } from './gates';
import { createInjectedFaults, withFaults, type InjectedFaults } from './injected-faults';

const EVENT_TYPES = ['captured', 'failed', 'refunded', 'expired', 'cancelled'];

export interface FaultWorld extends PaymentWorld {
  readonly faults: InjectedFaults;
  /** The script of the provider; what is pushed is answered from then on. */
  readonly provider: ScriptedOutcome[];
  /** What the partner was posted. */
  readonly posted: readonly WebhookPost[];
  /** Opens when the debit of that intent has begun. */
  readonly debitBegun: (intentId: string) => Gate;
  /** The debits of this path wait for theirs to be opened. */
  readonly debitHeld: (intentId: string) => Gate;
}

/** Made with the authorize where that is possible; always a step of its own; and held until it is let go. */
export type DebitOfPath = 'joined' | 'alone' | 'held';

interface FaultWorldOptions {
  readonly workflowBundle: WorkflowBundleOption;
  readonly provider: readonly ScriptedOutcome[];
  readonly debit: DebitOfPath;
}

export async function inFaultWorld(
  { workflowBundle, debit, ...options }: FaultWorldOptions,
  work: (world: FaultWorld) => Promise<void>,
): Promise<void> {
  const provider = [...options.provider];
  const faults = createInjectedFaults();
  const [debitBegun, debitHeld] = [createGates(), createGates()];
  await inPaymentWorld(
    {
      workflowBundle,
      provider,
      isProviderTruthful: true,
      isDebitAlone: debit !== 'joined',
      wrap: (activities) =>
        withFaults(
          {
            ...activities,
            async debitHoldingAccount(intentId, ...terms) {
              debitBegun(intentId).open();
              if (debit === 'held') await debitHeld(intentId).isOpen;
              return activities.debitHoldingAccount(intentId, ...terms);
            },
          },
          faults,
        ),
    },
    async (world) => {
      const posted: WebhookPost[] = [];
      const worker = await Worker.create({
        connection: world.environment.nativeConnection,
        taskQueue: WEBHOOKS_QUEUE,
        activities: { ...(await webhooksOf(world, faults, posted)) },
      });
      const more = { faults, provider, posted, debitBegun, debitHeld };
      await worker.runUntil(work({ ...world, ...more }));
    },
  );
}

/** The partner takes every event at once; the store and the schedule are the real ones. */
async function webhooksOf(
  { database, setClock }: PaymentWorld,
  { at }: InjectedFaults,
  posted: WebhookPost[],
): Promise<WebhookActivities> {
  const seal = createSecretSeal(randomBytes(32));
  await database.query({
    text: `insert into webhook_endpoints (partner_id, url, secret_sealed, event_types)
           values ('world', 'http://127.0.0.1:9/', $1, $2)`,
    values: [
      seal.seal('whsec_dGVzdA==', webhookSecretOwner('world')),
      EVENT_TYPES.map((type) => `payment_intent.${type}`),
    ],
  });
  const activities = createWebhookActivities({
    store: createWebhookStore(database, seal),
    sender: scriptedSender([], posted),
    clock: { now: () => new Date(0) },
    random: () => 0.5,
    log: SILENT,
    metrics: { webhookAttempted: () => undefined },
    slots: createEndpointSlots(16),
  });
  const toldBy = async (eventId: EventId) => {
    const { rows } = await database.query<{ readonly intent_id: string; readonly told: string }>({
      text: `select intent_id, split_part(type, '.', 2) as told from webhook_events where event_id = $1`,
      values: [eventId],
    });
    if (rows[0] === undefined) throw new Error(`no event ${eventId}`);
    return rows[0];
  };
  return {
    async deliverWebhook(eventId, partnerId) {
      await setClock();
      const { intent_id: intentId, told } = await toldBy(eventId);
      return at(intentId, `deliverWebhook ${told}`, () =>
        activities.deliverWebhook(eventId, partnerId),
      );
    },
  };
}

/** Of a token of the payment's own. */
export function tokenOf({ intentId }: PaymentStart): string {
  return createHash('sha256').update(intentId).digest('hex');
}
