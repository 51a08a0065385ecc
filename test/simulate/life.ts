// One payment's life under the choices that it is given: from the create until nothing moves any more, and what the invariants
// say about it then.
import { RUN_HAS_COMPLETED } from '../../src/domain/completed-run';
import type { IntentId } from '../../src/domain/ids';
import { checkAnswers } from '../chaos/invariants/answers';
import { checkCredentials } from '../chaos/invariants/credentials';
import { checkMoney } from '../chaos/invariants/money';
import { checkPaths } from '../chaos/invariants/paths';
import { checkRuns } from '../chaos/invariants/runs';
import { checkWebhooks } from '../chaos/invariants/webhooks';
import { paymentsIn } from '../chaos/invariants/payments';
import type { Evidence, IntentFacts, Reading } from '../chaos/evidence';
import { readOne } from '../../src/postgres/database';
import { PAYMENT_WORKFLOW } from '../../workflows/messages';
import { faults, judgeEach, type Finding } from '../chaos/finding';
import { readBalances, readRows } from '../chaos/sources/rows';
import { Actors, CENTS } from './world/actors';
import type { RecordedChoices } from './choices';
import { checkSendings } from './sendings';
import { layGround, type Fault, type Ground } from './world/ground';
import { START_MS, type Laboratory } from './world/laboratory';
import { pollersOf, Processes, type Pollers } from './world/processes';
import { Operators } from './world/operators';
import { beginStory, type People } from './world/stories';
import type { Payload } from './temporal/run';
import { defaultPayloadConverter } from '@temporalio/common';
import type { PaymentStart } from '../../src/domain/payment-start';

export interface Life {
  readonly findings: readonly Finding[];
  readonly faults: readonly Fault[];
  /** What happened when, beside the faults. */
  readonly steps: readonly Step[];
  readonly settings: readonly string[];
  /** The types of the events of each workflow, as Temporal names them. */
  readonly histories: readonly { readonly type: string; readonly events: readonly string[] }[];
}

/** Milliseconds since the beginning of the life, and a sentence. */
export interface Step {
  readonly atMs: number;
  readonly text: string;
}

/** A payment that waits for people and to which nothing happens for so long stays as it is. */
const QUIET_MS = 420_000;

export async function live(laboratory: Laboratory, choices: RecordedChoices): Promise<Life> {
  await laboratory.clean();
  const ground = layGround({ choices, laboratory, poller: () => processes.poller() });
  const payer = new Actors(ground);
  const people = { payer, operators: new Operators(ground, payer) };
  const processes: Processes = new Processes(ground, laboratory.creator, people);
  try {
    beginStory(ground, people);
    const poller = { poll: pollersOf(ground), lastMs: START_MS };
    const isEnded = await ground.fibers.run((toMs) => wakePollers(ground, poller, toMs));
    const evidence = await collect(ground, people);
    return {
      findings: [...check(evidence, ground, people), checkEnd(isEnded)],
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
  lastMs: number;
}

const POLL_EVERY_MS = 1_000;

interface Due {
  readonly payments: number | null;
  readonly webhooks: number | null;
  readonly needsAttention: boolean;
}

/** Pollers have nothing to do before something is due. @returns when the life goes on; never where nothing moves any more */
async function wakePollers(ground: Ground, poller: Poller, toMs: number): Promise<number> {
  const { fibers, postgres } = ground;
  if (toMs < fibers.nowMs + POLL_EVERY_MS) return toMs;
  const due = await readOne<Due>(postgres.real, { name: 'due', text: DUE });
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
function isOver({ fibers, faults, server }: Ground, due: Due, nextMs: number): boolean {
  if (server.runs.some(({ brokenTasks }) => brokenTasks.length > 0)) return true;
  const quietSinceMs = faults.at(-1)?.atMs ?? START_MS;
  if (due.needsAttention && fibers.nowMs > quietSinceMs + QUIET_MS) return true;
  return nextMs === NEVER;
}

const NEVER = Number.POSITIVE_INFINITY;

const ms = (instant: string) => `ceil(extract(epoch from ${instant}) * 1000)::float8`;
const DUE = `
  select ${ms(`least(
           (select min(check_at) from payment_intents
             where status in ('created', 'authorized') and check_at is not null
               and not starts_with(coalesce(attention_reason, ''), '${RUN_HAS_COMPLETED}')),
           (select min(check_at) from owed_comparisons))`)} as payments,
         ${ms(`(
           select min(greatest(v.due_at, v.check_at, coalesce(v.leased_until, v.due_at)))
              from webhook_events v join webhook_endpoints e using (partner_id)
             where v.state = 'owed' and e.disabled_at is null)`)} as webhooks,
         exists (select from payment_intents where attention_since is not null) as "needsAttention"`;

async function collect(ground: Ground, { payer, operators }: People): Promise<Evidence> {
  const { postgres, provider, endpoint, server } = ground;
  const rows = await readRows(postgres.real);
  return {
    ...{ rows, answers: payer.answers, operatorAnswers: operators.answers },
    ...{ readings: await readAll(ground, [...rows.keys()]) },
    ...{ journal: provider.journal, inbox: endpoint.inbox, slowCommits: [] },
    ledger: { ...(await readBalances(postgres.real)), checks: [] },
    runs: server.runs.map(({ start, status, result, brokenTasks }) => ({
      ...{ workflowId: start.workflowId, type: start.type, status, brokenTasks },
      result: typeof result === 'string' ? result : null,
      cents: start.type === PAYMENT_WORKFLOW ? centsOf(start.args[0]) : null,
    })),
    reconciliation: { exitCode: 0, lastWords: '', found: [] },
  };
}

async function readAll(
  { postgres, intentsOn }: Ground,
  intentIds: readonly string[],
): Promise<ReadonlyMap<string, Reading>> {
  const readings = new Map<string, Reading>();
  for (const intentId of intentIds) {
    const seen = await intentsOn(postgres.real).find(intentId as IntentId);
    if (seen === undefined) continue;
    const { status, amountUsdCents: cents, corridor, capturedAt } = seen;
    const capturedAtMs = status === 'captured' ? capturedAt?.getTime() : undefined;
    readings.set(intentId, { httpStatus: 200, status, cents, corridor, capturedAtMs });
  }
  return readings;
}

function centsOf(payload: Payload | undefined): number | null {
  if (payload === undefined) return null;
  return defaultPayloadConverter.fromPayload<PaymentStart>(payload).amountUsdCents;
}

/** Those of a chaos run that one payment can violate: as the same functions. */
function check(
  evidence: Evidence,
  { fibers, faults: met, provider }: Ground,
  { operators }: People,
): readonly Finding[] {
  const payments = paymentsIn(evidence);
  const falsehoods = falsehoodsIn(evidence, operators);
  const findings = [
    ...checkMoney(evidence, payments),
    ...checkPaths(evidence, payments, [CENTS]),
    ...checkWebhooks(evidence, payments),
    ...checkCredentials(evidence),
    ...checkAnswers(evidence, fibers.nowMs),
    ...checkRuns(evidence, payments),
    ...checkSendings(provider.calls, evidence.rows.values(), operators.stops),
    ...checkFalsehoods(falsehoods, provider),
    takenForPaid(evidence, provider),
  ];
  const excused = [
    // Frozen for longer than the lease of a webhook lasts, a worker sends it beside the one that has taken it over.
    ...(met.some(({ what }) => what === 'the worker freezes for 90 s') ? [ONE_AT_A_TIME] : []),
    // While the provider is silent a false declaration looks like a true one. A check of its own demands attention for it.
    ...(falsehoods.length > 0 ? [NOT_GIVEN_BACK] : []),
  ];
  return findings.filter(({ name }) => !excused.includes(name));
}

const ONE_AT_A_TIME = 'of one webhook one attempt is under way at a time';
const NOT_GIVEN_BACK = 'a payout implies a debit';

function checkEnd(isEnded: boolean): Finding {
  return judgeEach('every life comes to an end', [isEnded], () =>
    faults([!isEnded, 'something repeats without end']),
  );
}

/** False declarations that ended a payment: a chaos run has none that is accepted. */
function falsehoodsIn({ rows }: Evidence, { liars }: Operators): readonly Falsehood[] {
  return [...rows.values()].flatMap((row) =>
    row.transitions
      .filter(({ actor }) => liars.includes(actor))
      .map(({ atMs }) => ({ ...row, declaredAtMs: atMs })),
  );
}

type Falsehood = IntentFacts & { readonly declaredAtMs: number };

function checkFalsehoods(
  falsehoods: readonly Falsehood[],
  { calls }: Ground['provider'],
): readonly Finding[] {
  const isSaid = (one: Falsehood) =>
    calls.some(
      ({ atMs, outcome }) => atMs < one.declaredAtMs && ['paid', 'pending'].includes(outcome),
    );
  return [
    judgeEach('no declaration is accepted against the word of the provider', falsehoods, (one) =>
      faults([isSaid(one), `${one.intentId} was declared declined against the provider's answer`]),
    ),
    judgeEach('a false declaration needs attention in the end', falsehoods, (one) =>
      faults([
        one.attention === null,
        `${one.intentId} was declared falsely, and raises no attention`,
      ]),
    ),
  ];
}

/** A chaos run sees this by the amounts that choose it. */
function takenForPaid({ rows }: Evidence, { isContrary }: Ground['provider']): Finding {
  const name = 'what the provider reports with another amount is not captured, but by an operator';
  return judgeEach(name, isContrary ? rows.values() : [], ({ intentId, transitions }) =>
    faults([
      transitions.some(({ to, actor }) => to === 'captured' && actor === 'system'),
      `${intentId} is captured, and the provider reports another amount`,
    ]),
  );
}

function stepsIn({ rows, journal, answers, operatorAnswers }: Evidence): readonly Step[] {
  const [row] = [...rows.values()];
  const steps = [
    ...(row?.transitions ?? []).map(({ atMs, from, to, actor }) => ({
      ...{ atMs, text: `${from} → ${to}, by ${actor}` },
    })),
    ...journal.map((one) => ({ atMs: Date.parse(one.executed_at), text: 'the provider pays' })),
    ...answers.map(({ answeredAtMs: atMs, asked, status }) => ({
      ...{ atMs, text: `${asked} is answered ${String(status)}` },
    })),
    ...operatorAnswers.map(({ answeredAtMs: atMs, asked, outcome }) => ({
      ...{ atMs, text: `to ${asked}: ${outcome}` },
    })),
  ];
  return steps.map(({ atMs, text }) => ({ atMs: atMs - START_MS, text }));
}
