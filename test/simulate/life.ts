// Simulates the life of one payment under given choices, from the create until nothing changes any
// more, and checks the invariants.
import { readOne } from '../../src/postgres/database';
import type { Finding } from '../chaos/report/finding';
import { createRandom } from '../bench/load/random';
import { checkLife } from './checks/checks';
import type { RecordedChoices } from './run/choices';
import { collect, readStops, stepsIn, type Step } from './checks/evidence';
import { PartnerAndPayer } from './world/partner-and-payer';
import { createWorld, type Fault, type World } from './world/world';
import { START_MS, type Harness } from './world/harness';
import { Operators } from './world/operators';
import { pollersOf, Processes, type Pollers } from './world/processes';
import { beginStory } from './world/stories';

export interface Life {
  readonly findings: readonly Finding[];
  readonly faults: readonly Fault[];
  /** The events of the life, without the faults. */
  readonly steps: readonly Step[];
  readonly settings: readonly string[];
  /** What people are asked to look at in the end. */
  readonly attention: string | null;
  /** The types of the events of each workflow, as Temporal names them. */
  readonly histories: readonly { readonly type: string; readonly events: readonly string[] }[];
}

/**
 * A payment that needs attention, or whose row was lost, counts as final after this time without a
 * change.
 */
const QUIET_MS = 420_000;

export async function live(harness: Harness, choices: RecordedChoices): Promise<Life> {
  await harness.clean();
  // The product draws delays with it, so equal choices need an equal sequence.
  Math.random = createRandom(1);
  const world = createWorld({ choices, harness, poller: () => processes.poller() });
  const payer = new PartnerAndPayer(world);
  const actors = { payer, operators: new Operators(world, payer) };
  const processes: Processes = new Processes(world, harness.creator, actors);
  try {
    beginStory(world, actors);
    const poller = { poll: pollersOf(world), readDue: dueReader(harness), lastMs: START_MS };
    const isEnded = await world.fibers.run((toMs) => wakePollers(world, poller, toMs));
    const { provider, fibers, backup } = world;
    // A restore may lose the attention for a false manual resolution, whose workflow has completed
    // (docs/restore.md).
    const isAttentionLost =
      actors.operators.falseOperators.length > 0 && backup.putBackAtMs !== undefined;
    if ((provider.isLying || isAttentionLost) && provider.journal.length > 0)
      await harness.reconcile(provider.journal, fibers.nowMs);
    const evidence = await collect(world, actors);
    return {
      findings: checkLife(evidence, { world, actors, isEnded, stops: await readStops(world) }),
      faults: world.faults,
      steps: stepsIn(evidence),
      settings: choices.settings,
      attention: [...evidence.rows.values()][0]?.attention ?? null,
      histories: world.server.runs.map(({ start: { type }, events }) => ({ type, events })),
    };
  } finally {
    await processes.dispose();
  }
}

interface Poller {
  readonly poll: Pollers;
  readonly readDue: () => Promise<Due>;
  lastMs: number;
}

const POLL_EVERY_MS = 1_000;

interface Due {
  readonly payments: number | null;
  readonly webhooks: number | null;
  readonly returns: number | null;
  /** Since when the payment needs attention; null if it does not. */
  readonly attention: number | null;
}

/** Caches the result until the next statement. */
function dueReader({ database }: Harness): () => Promise<Due> {
  let known: { readonly due: Due; readonly after: number } | undefined;
  return async () => {
    if (known?.after === database.statements) return known.due;
    const due = await readOne<Due>(database, { name: 'due', text: DUE });
    known = { due, after: database.statements };
    return due;
  };
}

/**
 * Wakes pollers only when something is due.
 * @returns when the life goes on; NEVER if nothing changes any more
 */
async function wakePollers(world: World, poller: Poller, toMs: number): Promise<number> {
  const { fibers } = world;
  if (toMs < fibers.nowMs + POLL_EVERY_MS) return toMs;
  const due = await poller.readDue();
  const { payments, returns, webhooks } = due;
  const dueMs = Math.min(payments ?? NEVER, returns ?? NEVER, webhooks ?? NEVER);
  if (isOver(world, due, Math.min(dueMs, toMs))) return NEVER;
  const atMs = Math.max(dueMs, poller.lastMs + POLL_EVERY_MS);
  if (atMs >= toMs) return toMs;
  poller.lastMs = atMs;
  fibers.spawnAt(atMs, 'the pollers', 'pollers', pollerOf(poller.poll, due, atMs));
  return atMs;
}

function pollerOf(poll: Pollers, { payments, returns }: Due, atMs: number) {
  const isDue = (ms: number | null) => ms !== null && ms <= atMs;
  if (isDue(payments)) return poll.payments;
  return isDue(returns) ? poll.returns : poll.webhooks;
}

/**
 * Nothing changes any more, a workflow broke, or the payment has needed attention for long enough.
 */
function isOver(world: World, due: Due, nextMs: number): boolean {
  const { fibers, server, backup } = world;
  if (server.runs.some(({ brokenTasks }) => brokenTasks.length > 0)) return true;
  const isWaiting = due.attention !== null || backup.putBackAtMs !== undefined;
  const mayWait = isWaiting && due.webhooks === null && due.returns === null;
  if (mayWait && fibers.nowMs > changedAtMs(world, due) + QUIET_MS) return true;
  return nextMs === NEVER;
}

/** A payment that needs attention may be queried without end: that is no change. */
function changedAtMs({ faults, progress, backup }: World, { attention }: Due): number {
  const lastFaultAtMs = faults.at(-1)?.atMs ?? START_MS;
  return Math.max(lastFaultAtMs, attention ?? progress.sinceMs, backup.broughtBackAtMs);
}

const NEVER = Number.POSITIVE_INFINITY;

const ms = (instant: string) => `ceil(extract(epoch from ${instant}) * 1000)::float8`;
const DUE = `
  select ${ms(`least(
           (select min(check_at) from payment_intents
             where status in ('created', 'authorized') and check_at is not null
               and not is_workflow_gone),
           (select min(check_at) from pending_rechecks))`)} as payments,
         ${ms(`(
           select min(greatest(v.due_at, v.check_at, coalesce(v.leased_until, v.due_at)))
              from webhook_events v join webhook_endpoints e using (partner_id)
             where v.state = 'pending' and e.disabled_at is null)`)} as webhooks,
         ${ms("(select min(ask_at) from payouts where status <> 'sent')")} as returns,
         ${ms('(select max(attention_since) from payment_intents)')} as attention`;
