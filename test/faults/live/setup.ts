// Sets up a live world with a payer, and reads that its tests share.
import type { WorkflowBundleOption } from '@temporalio/worker';
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { CLAIM_LEASE_SECONDS } from '../../../src/domain/limits';
import { readOne } from '../../../src/postgres/database';
import { allowPayouts } from '../../../src/postgres/payouts/stops';
import { checkLedger } from '../../../src/postgres/ledger/check';
import {
  createWorkflowRepairer,
  type WorkflowRepairer,
} from '../../../src/temporal/workflow-repairer';
import { secondsAfter } from '../../support/clock';
import { quietTemporal } from '../../support/servers/quiet-temporal';
import { SILENT } from '../../support/silent-log';
import { bundledWorkflows } from '../../support/programs/workflow-bundle';
import { openPayer, said, type LivePayer } from './payer';
import { openLiveWorld, type LiveWorld, type WorldOptions } from './world';

export interface LiveSetup {
  readonly world: LiveWorld;
  readonly payer: LivePayer;
  close(): Promise<void>;
}

interface LiveOptions extends WorldOptions {
  /** The partner's endpoint; by default an address without a server. */
  readonly webhookUrl?: string;
  /** Default: the product's workflows. */
  readonly workflowBundle?: Promise<WorkflowBundleOption>;
}

export async function openLiveSetup(options: LiveOptions = {}): Promise<LiveSetup> {
  quietTemporal();
  const { webhookUrl, workflowBundle = bundledWorkflows(), ...worldOptions } = options;
  const world = await openLiveWorld(await workflowBundle, worldOptions);
  const payer = await openPayer(world, webhookUrl);
  return {
    world,
    payer,
    async close() {
      await payer.close();
      await world.close();
    },
  };
}

/** Shares one world between all tests of a file. */
export function withLiveSetup(options: LiveOptions = {}): Pick<LiveSetup, 'world' | 'payer'> {
  const [world, payer] = [{} as LiveWorld, {} as LivePayer];
  let live: LiveSetup;
  beforeAll(async () => {
    live = await openLiveSetup(options);
    Object.assign(world, live.world);
    Object.assign(payer, live.payer);
  }, 90_000);
  afterAll(() => live.close(), 60_000);
  return { world, payer };
}

export async function statusOf(
  { bed }: LiveWorld,
  { intentId }: Pick<PaymentIntent, 'intentId'>,
): Promise<string> {
  return (await bed.intents.readCurrentState(intentId)).status;
}

/** Waits up to a minute for the status, and returns the status at the end. */
export async function statusWhen(
  world: LiveWorld,
  intent: Pick<PaymentIntent, 'intentId'>,
  status: string,
): Promise<string> {
  await until(async () => (await statusOf(world, intent)) === status, { timeoutMs: 60_000 });
  return statusOf(world, intent);
}

/** Confirms with a new token each time until the answer is not 503. */
export async function confirmed({ payer }: LiveSetup, intent: PaymentIntent): Promise<string> {
  let answer = '';
  const isAnswered = async () => {
    answer = said(await payer.confirm(intent));
    return answer !== '503';
  };
  await until(isAnswered, { timeoutMs: 60_000 });
  return answer;
}

/** Names of the violated ledger checks. */
export async function ledgerViolations({ bed }: LiveWorld): Promise<readonly string[]> {
  const checks = await checkLedger(bed.database, () => undefined);
  return checks.filter(({ violations }) => violations > 0).map(({ name }) => name);
}

/** A workflow repairer for polls by the test; every worker runs one. */
export function repairerOf({ bed, client }: LiveWorld): WorkflowRepairer {
  const { claims: payments, lostCommits: rows, rechecks, intents, clock } = bed;
  return createWorkflowRepairer({
    ...{ client, rows, payments, rechecks, intents, clock, log: SILENT },
  });
}

/**
 * Allows payouts, and polls half a minute later by the clock of Postgres, when the stopped payments
 * are due.
 */
export async function allowPayoutsIn(world: LiveWorld): Promise<void> {
  const { bed } = world;
  await allowPayouts(bed.database, { actor: 'ann', reason: 'reconciled', isAfterRestore: true });
  const { now } = await readOne<{ readonly now: Date }>(bed.database, {
    text: 'select service_now() as now',
  });
  await bed.setNow(secondsAfter(now, CLAIM_LEASE_SECONDS));
  await repairerOf(world).poll();
}

/**
 * Deletes the workflow without a trace, as after a restore of Temporal or a deletion by operators.
 */
export async function vanish({ client }: Pick<LiveWorld, 'client'>, workflowId: string) {
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  const run = client.workflow.getHandle(workflowId, runId);
  await client.workflowService.deleteWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
  });
  // Temporal deletes a running workflow at once, a completed one within a minute.
  const isGone = () => run.describe().then(no, yes);
  if (await until(isGone, { timeoutMs: 90_000 })) return;
  throw new Error(`${workflowId} was deleted but still exists`);
}

/** Whether the work ended without an error. */
export const isDone = (work: Promise<unknown>): Promise<boolean> => work.then(yes, no);
const yes = () => true;
const no = () => false;
