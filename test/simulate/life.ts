// One payment's life under the choices that it is given: from the create until nothing moves any more, and what the invariants
// say about it then.
import { WORKFLOW_HAS_COMPLETED } from '../../src/domain/intents/completed-workflow';
import { readOne } from '../../src/postgres/database';
import type { Finding } from '../chaos/report/finding';
import { createRandom } from '../bench/load/random';
import { checkLife } from './checks/checks';
import type { RecordedChoices } from './run/choices';
import { collect, readStops, stepsIn, type Step } from './checks/evidence';
import { Actors } from './world/actors';
import { layGround, type Fault, type Ground } from './world/ground';
import { START_MS, type Laboratory } from './world/laboratory';
import { Operators } from './world/operators';
import { pollersOf, Processes, type Pollers } from './world/processes';
import { beginStory } from './world/stories';

export interface Life {
  readonly findings: readonly Finding[];
  readonly faults: readonly Fault[];
  /** What happened when, beside the faults. */
  readonly steps: readonly Step[];
  readonly settings: readonly string[];
  /** The types of the events of each workflow, as Temporal names them. */
  readonly histories: readonly { readonly type: string; readonly events: readonly string[] }[];
}

/** A payment that waits for people, or whose row was lost, and to which nothing happens for so long stays as it is. */
const QUIET_MS = 420_000;

export async function live(laboratory: Laboratory, choices: RecordedChoices): Promise<Life> {
  await laboratory.clean();
  // The product draws delays with it.
  Math.random = createRandom(1);
  const ground = layGround({ choices, laboratory, poller: () => processes.poller() });
  const payer = new Actors(ground);
  const people = { payer, operators: new Operators(ground, payer) };
  const processes: Processes = new Processes(ground, laboratory.creator, people);
  try {
    beginStory(ground, people);
    const poller = { poll: pollersOf(ground), readDue: dueReader(laboratory), lastMs: START_MS };
    const isEnded = await ground.fibers.run((toMs) => wakePollers(ground, poller, toMs));
    const { provider, fibers, backup } = ground;
    // What was lost may be the attention for a false declaration, whose workflow has completed (docs/restore.md).
    const isAttentionLost = people.operators.liars.length > 0 && backup.putBackAtMs !== undefined;
    if ((provider.isLying || isAttentionLost) && provider.journal.length > 0)
      await laboratory.reconcile(provider.journal, fibers.nowMs);
    const evidence = await collect(ground, people);
    return {
      findings: checkLife(evidence, { ground, people, isEnded, stops: await readStops(ground) }),
      faults: ground.faults,
      steps: stepsIn(evidence),
      settings: choices.settings,
      histories: ground.server.runs.map(({ start: { type }, events }) => ({ type, events })),
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
  readonly needsAttention: boolean;
}

/** Reads it again only after another statement. */
function dueReader({ database }: Laboratory): () => Promise<Due> {
  let known: { readonly due: Due; readonly after: number } | undefined;
  return async () => {
    if (known?.after === database.statements) return known.due;
    const due = await readOne<Due>(database, { name: 'due', text: DUE });
    known = { due, after: database.statements };
    return due;
  };
}

/** Pollers have nothing to do before something is due. @returns when the life goes on; never where nothing moves any more */
async function wakePollers(ground: Ground, poller: Poller, toMs: number): Promise<number> {
  const { fibers } = ground;
  if (toMs < fibers.nowMs + POLL_EVERY_MS) return toMs;
  const due = await poller.readDue();
  const [payments, webhooks] = [due.payments ?? NEVER, due.webhooks ?? NEVER];
  const dueMs = Math.min(payments, webhooks);
  if (isOver(ground, due, Math.min(dueMs, toMs))) return NEVER;
  const atMs = Math.max(dueMs, poller.lastMs + POLL_EVERY_MS);
  if (atMs >= toMs) return toMs;
  poller.lastMs = atMs;
  const poll = payments <= atMs ? poller.poll.payments : poller.poll.webhooks;
  fibers.spawnAt(atMs, 'the pollers', 'pollers', poll);
  return atMs;
}

/** Nothing moves any more, a workflow broke, or the payment has waited for people long enough. */
function isOver(
  { fibers, faults, server, backup, progress }: Ground,
  due: Due,
  nextMs: number,
): boolean {
  if (server.runs.some(({ brokenTasks }) => brokenTasks.length > 0)) return true;
  const lastFaultAtMs = faults.at(-1)?.atMs ?? START_MS;
  const quietSinceMs = Math.max(lastFaultAtMs, progress.sinceMs, backup.broughtBackAtMs);
  const isWaiting = due.needsAttention || backup.putBackAtMs !== undefined;
  const mayWait = isWaiting && due.webhooks === null;
  if (mayWait && fibers.nowMs > quietSinceMs + QUIET_MS) return true;
  return nextMs === NEVER;
}

const NEVER = Number.POSITIVE_INFINITY;

const ms = (instant: string) => `ceil(extract(epoch from ${instant}) * 1000)::float8`;
const DUE = `
  select ${ms(`least(
           (select min(check_at) from payment_intents
             where status in ('created', 'authorized') and check_at is not null
               and not starts_with(coalesce(attention_reason, ''), '${WORKFLOW_HAS_COMPLETED}')),
           (select min(check_at) from pending_rechecks))`)} as payments,
         ${ms(`(
           select min(greatest(v.due_at, v.check_at, coalesce(v.leased_until, v.due_at)))
              from webhook_events v join webhook_endpoints e using (partner_id)
             where v.state = 'pending' and e.disabled_at is null)`)} as webhooks,
         exists (select from payment_intents where attention_since is not null) as "needsAttention"`;
