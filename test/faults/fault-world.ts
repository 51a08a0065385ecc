// A payment world in which the webhooks are delivered too, activities fail where that was planned, and a debit can be
// held: one world for all the faults of one path.
import { createHash, randomBytes } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import {
  createWebhookActivities,
  type PaymentActivities,
  type WebhookActivities,
} from '../../activities';
import { createEndpointSlots } from '../../src/domain/endpoint-slots';
import type { IntentEvent } from '../../src/domain/intent-transitions';
import { webhookSecretOwner } from '../../src/domain/webhook-event';
import type { PaymentStart } from '../../src/domain/payment-start';
import type { WebhookPost } from '../../src/ports/webhook-sender';
import { createWebhookStore } from '../../src/postgres/webhook-store';
import { createSecretSeal } from '../../src/signing/sealed-secret';
import { WEBHOOKS_QUEUE } from '../../workflows/messages';
import { aroundEach } from '../support/around-each';
import { inPaymentWorld, type PaymentWorld } from '../support/payment-world';
import type { ScriptedOutcome } from '../support/scripted-provider';
import { scriptedSender } from '../support/scripted-sender';
import { SILENT } from '../support/silent-log';
import { createGates, type Gate } from './gates';

type PlainStep = Exclude<keyof PaymentActivities, 'recordTransition'>;

/** A transition is named with its event and a webhook with what it tells; a payout is asked about slowly once operations know. */
export type Step =
  PlainStep | 'payOutSlowly' | `recordTransition ${IntentEvent}` | `deliverWebhook ${string}`;

export interface Fault {
  readonly step: Step;
  /** Before its effect, or after it, when only its answer is lost. */
  readonly moment: 'before' | 'after';
}

export interface FaultWorld extends PaymentWorld {
  readonly faults: ReturnType<typeof createFaults>;
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
  readonly provider: readonly ScriptedOutcome[];
  readonly debit: DebitOfPath;
}

export async function inFaultWorld(
  { debit, ...options }: FaultWorldOptions,
  work: (world: FaultWorld) => Promise<void>,
): Promise<void> {
  const provider = [...options.provider];
  const faults = createFaults();
  const [debitBegun, debitHeld] = [createGates(), createGates()];
  const wrap = (activities: PaymentActivities): PaymentActivities => ({
    ...activities,
    async debitHoldingAccount(intentId, ...terms) {
      debitBegun(intentId).open();
      if (debit === 'held') await debitHeld(intentId).isOpen;
      return activities.debitHoldingAccount(intentId, ...terms);
    },
    payOut: (request) =>
      activities.payOut(
        // A capture that is to fail has to be a step of its own: an activity with other terms than the row writes none.
        faults.isPlanned(request.intentId, 'recordTransition capture')
          ? { ...request, createdAtMs: 0 }
          : request,
      ),
  });
  await inPaymentWorld(
    {
      ...{ provider, isProviderTruthful: true, isDebitAlone: debit !== 'joined' },
      wrap: (activities) =>
        aroundEach(wrap(activities), ({ member, args: [first], run }) => {
          const about = (typeof first === 'string' ? { intentId: first } : first) as About;
          return faults.at(about?.intentId, stepOf(member, about), run);
        }),
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

/** What is read of the first argument of an activity. */
type About =
  | { readonly intentId?: string; readonly event?: string; readonly isAttentionRaised?: boolean }
  | undefined;

function stepOf(member: string, about: About): string {
  if (member === 'recordTransition') return `${member} ${String(about?.event)}`;
  return member === 'payOut' && about?.isAttentionRaised === true ? 'payOutSlowly' : member;
}

/** Fails one step of one payment, once (architecture, section 3: whatever dies, and whenever). */
function createFaults() {
  const planned = new Map<string | undefined, Fault>();
  const struck = new Set<string | undefined>();
  const strike = (intentId: string | undefined, step: string, moment: Fault['moment']) => {
    const fault = planned.get(intentId);
    if (fault?.step !== step || fault.moment !== moment || struck.has(intentId)) return;
    struck.add(intentId);
    throw new Error(`${step} fails ${moment} its effect`);
  };
  return {
    /** This step of this intent will fail once. */
    plan: (intentId: string, fault: Fault) => planned.set(intentId, fault),
    isPlanned: (intentId: string, step: Step) => planned.get(intentId)?.step === step,
    hasStruck: (intentId: string) => struck.has(intentId),
    /** Runs the step, or fails it if that was planned. */
    async at(intentId: string | undefined, step: string, run: () => unknown): Promise<unknown> {
      strike(intentId, step, 'before');
      try {
        return await run();
      } finally {
        // Also in place of an error of its own: "unknown" is told by throwing.
        strike(intentId, step, 'after');
      }
    },
  };
}

/** The partner takes every event at once; the store and the schedule are the real ones. */
async function webhooksOf(
  { database, setClock }: PaymentWorld,
  { at }: FaultWorld['faults'],
  posted: WebhookPost[],
): Promise<WebhookActivities> {
  const seal = createSecretSeal(randomBytes(32));
  await database.query({
    text: `insert into webhook_endpoints (partner_id, url, secret_sealed, event_types)
           values ('world', 'http://127.0.0.1:9/', $1,
                   '{payment_intent.captured,payment_intent.failed,payment_intent.refunded,payment_intent.expired,payment_intent.cancelled}')`,
    values: [seal.seal('whsec_dGVzdA==', webhookSecretOwner('world'))],
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
  return aroundEach(activities, async ({ args: [eventId], run }) => {
    await setClock();
    const { rows } = await database.query<{ readonly intent_id: string; readonly told: string }>({
      text: `select intent_id, split_part(type, '.', 2) as told from webhook_events where event_id = $1`,
      values: [eventId],
    });
    const [event] = rows;
    if (event === undefined) throw new Error(`no event ${String(eventId)}`);
    return at(event.intent_id, `deliverWebhook ${event.told}`, run);
  });
}

/** Of a token of the payment's own. */
export function tokenOf({ intentId }: PaymentStart): string {
  return createHash('sha256').update(intentId).digest('hex');
}
