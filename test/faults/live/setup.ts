// A live world with a payer in it, as most tests of it begin, and what they ask of it.
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
import { openLiveWorld, type LiveWorld, type WorldWish } from './world';

export interface LiveScene {
  readonly world: LiveWorld;
  readonly payer: LivePayer;
  close(): Promise<void>;
}

interface SceneWish extends WorldWish {
  /** The partner's endpoint; nobody's unless told. */
  readonly webhookUrl?: string;
  /** The workflows as they are, unless told. */
  readonly workflowBundle?: Promise<WorkflowBundleOption>;
}

export async function openLiveScene(options: SceneWish = {}): Promise<LiveScene> {
  quietTemporal();
  const { webhookUrl, workflowBundle = bundledWorkflows(), ...wish } = options;
  const world = await openLiveWorld(await workflowBundle, wish);
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

/** One for all tests of a file. */
export function withLiveScene(wish: SceneWish = {}): Pick<LiveScene, 'world' | 'payer'> {
  const [world, payer] = [{} as LiveWorld, {} as LivePayer];
  let scene: LiveScene;
  beforeAll(async () => {
    scene = await openLiveScene(wish);
    Object.assign(world, scene.world);
    Object.assign(payer, scene.payer);
  }, 90_000);
  afterAll(() => scene.close(), 60_000);
  return { world, payer };
}

export async function statusOf(
  { bed }: LiveWorld,
  { intentId }: Pick<PaymentIntent, 'intentId'>,
): Promise<string> {
  return (await bed.intents.standing(intentId)).status;
}

/** The status once it is that, or what it is after a while. */
export async function statusWhen(
  world: LiveWorld,
  intent: Pick<PaymentIntent, 'intentId'>,
  status: string,
): Promise<string> {
  await until(async () => (await statusOf(world, intent)) === status, { timeoutMs: 60_000 });
  return statusOf(world, intent);
}

/** Confirms with a new token each time, until it is told something. */
export async function confirmed({ payer }: LiveScene, intent: PaymentIntent): Promise<string> {
  let answer = '';
  const isTold = async () => {
    answer = said(await payer.confirm(intent));
    return answer !== '503';
  };
  await until(isTold, { timeoutMs: 60_000 });
  return answer;
}

/** The checks of the ledger that do not hold. */
export async function ledgerViolations({ bed }: LiveWorld): Promise<readonly string[]> {
  const checks = await checkLedger(bed.database, () => undefined);
  return checks.filter(({ violations }) => violations > 0).map(({ name }) => name);
}

/** Sweeps by hand: what every worker does by itself. */
export function reconcilerOf({ bed, client }: LiveWorld): WorkflowRepairer {
  const { claims: payments, lostCommits: rows, rechecks, intents, clock } = bed;
  return createWorkflowRepairer({
    ...{ client, rows, payments, rechecks, intents, clock, log: SILENT },
  });
}

/** And half a minute later, by Postgres' clock, the reconciler looks at what was held up. */
export async function allowPayoutsIn(world: LiveWorld): Promise<void> {
  const { bed } = world;
  await allowPayouts(bed.database, { actor: 'ann', reason: 'compared', isAfterRestore: true });
  const { now } = await readOne<{ readonly now: Date }>(bed.database, {
    text: 'select service_now() as now',
  });
  await bed.setNow(secondsAfter(now, CLAIM_LEASE_SECONDS));
  await reconcilerOf(world).poll();
}

/** As in a Temporal that was restored to before it, or as operations delete it: there is no trace of the run. */
export async function vanish({ client }: Pick<LiveWorld, 'client'>, workflowId: string) {
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  const run = client.workflow.getHandle(workflowId, runId);
  await client.workflowService.deleteWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
  });
  // A run that has completed is gone within a minute, one that has not at once.
  const isGone = () => run.describe().then(no, yes);
  if (await until(isGone, { timeoutMs: 90_000 })) return;
  throw new Error(`${workflowId} was deleted and is still there`);
}

/** Whether it came to an end without an error. */
export const isDone = (work: Promise<unknown>): Promise<boolean> => work.then(yes, no);
const yes = () => true;
const no = () => false;
