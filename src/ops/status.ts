// `payctl status`: which of Postgres, Temporal, the workers and the providers is in trouble, since
// when, what that blocks, and what to do next.
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { PAYMENTS_QUEUE } from '../../workflows/messages/messages';
import { CORRIDORS } from '../corridors/names';
import { DomainError } from '../domain/errors';
import { readStatusFigures, type StatusFigures } from '../postgres/reports/status';
import { callUntil, connectTemporal } from '../temporal/connection';
import { command, notedTableLines, sentenceLines, toTheSecond } from './layout';
import type { Session } from './session';
import { verb } from './verb';

/** The JSON shape that programs rely on. */
interface Part {
  readonly part: string;
  /** `unknown` while Postgres does not answer. */
  readonly state: 'ok' | 'away' | 'waits' | 'stopped' | 'unknown';
  readonly since: Date | null;
  /** What the trouble blocks; null without one. */
  readonly blocks: string | null;
  /** A command, or a sentence; null without trouble. */
  readonly next: string | null;
}

const PAYMENTS_WAIT = 'Confirms and cancels get 503; payouts and webhooks wait.';

export const status = verb('status', {
  does: 'Show which of Postgres, Temporal, the workers and the providers is in trouble, since when, what that blocks, and what to do next.',
  work() {
    return async (session) => ({ parts: await readParts(session) });
  },
  lines: ({ parts }) => [
    ...notedTableLines(
      parts.map(({ part, state, since, blocks, next }) => ({
        row: { part, state, since: since === null ? '-' : toTheSecond(since), blocks },
        notes: next === null ? [] : [next],
      })),
    ),
    ...sentenceLines(
      parts.every(({ state }) => state === 'ok')
        ? [
            'All answer. A payment that waits all the same says why:',
            command('payctl intents show ID'),
          ]
        : [],
    ),
  ],
});

async function readParts({ config, database }: Session): Promise<readonly Part[]> {
  const [figures, pollers] = await Promise.all([
    readStatusFigures(database).catch(onlyAway),
    countPollers(config.temporal),
  ]);
  return [
    postgresOf(figures),
    temporalOf(figures, pollers),
    workersOf(figures, pollers),
    ...CORRIDORS.map((corridor) => providerOf(corridor, figures)),
    stopsOf(figures),
    ...CORRIDORS.map((corridor) => corridorOf(corridor, figures)),
  ];
}

/** @throws any other error */
function onlyAway(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'unavailable') return undefined;
  throw error;
}

const ANSWERS_WITHIN_MS = 1_500;

/** The call needs Temporal's matching service, which a payment needs too. */
async function countPollers(settings: Session['config']['temporal']): Promise<number | undefined> {
  const client: Client = connectTemporal(settings);
  const { namespace } = client.options;
  const { TASK_QUEUE_TYPE_WORKFLOW: taskQueueType } = temporal.api.enums.v1.TaskQueueType;
  const taskQueue = { name: PAYMENTS_QUEUE };
  try {
    const { pollers } = await callUntil(client, AbortSignal.timeout(ANSWERS_WITHIN_MS), () =>
      client.workflowService.describeTaskQueue({ namespace, taskQueue, taskQueueType }),
    );
    return pollers.length;
  } catch {
    return undefined;
  } finally {
    await client.connection.close();
  }
}

type Known = StatusFigures | undefined;

function postgresOf(figures: Known): Part {
  if (figures !== undefined) return fine('Postgres');
  const blocks = 'Every request gets 503, and no payment goes on.';
  return { ...fine('Postgres'), state: 'away', blocks, next: 'Check its server.' };
}

function temporalOf(figures: Known, pollers: number | undefined): Part {
  if (pollers !== undefined) return fine('Temporal');
  const since = figures?.ticked_at ?? null;
  const next = 'Check its server.';
  return { ...fine('Temporal'), state: 'away', since, blocks: PAYMENTS_WAIT, next };
}

function workersOf(figures: Known, pollers: number | undefined): Part {
  if (figures === undefined) return unknown('workers');
  if (figures.workers === 0) {
    const next = 'Does their /livez answer? End those that hang, start those that have stopped.';
    const since = figures.marked_at;
    return { ...fine('workers'), state: 'away', since, blocks: PAYMENTS_WAIT, next };
  }
  if (pollers !== 0) return fine('workers');
  const next = 'temporal worker deployment describe --name payments';
  const blocks = `They get no task. ${PAYMENTS_WAIT}`;
  return { ...fine('workers'), state: 'waits', blocks, next };
}

function providerOf(corridor: string, figures: Known): Part {
  const part = `provider ${corridor}`;
  if (figures === undefined) return unknown(part);
  const waiting = figures.unanswered.find((one) => one.corridor === corridor);
  if (waiting === undefined) return fine(part);
  const { payouts, since } = waiting;
  const next = 'payctl intents list --status authorized';
  return { part, state: 'waits', since, blocks: `Payouts without an answer: ${payouts}.`, next };
}

function stopsOf(figures: Known): Part {
  if (figures === undefined) return unknown('payouts');
  const { stopped_at: since } = figures;
  if (since === null) return fine('payouts');
  const next = 'payctl payouts show';
  return { part: 'payouts', state: 'stopped', since, blocks: 'No payout is sent.', next };
}

function corridorOf(corridor: string, figures: Known): Part {
  const part = `corridor ${corridor}`;
  if (figures === undefined) return unknown(part);
  const closure = figures.closures.find(({ of }) => of === corridor);
  if (closure === undefined) return fine(part);
  const next = `payctl corridors open ${corridor} --reason TEXT`;
  const blocks = `Creates and confirms get 503: ${closure.reason}`;
  return { part, state: 'stopped', since: closure.at, blocks, next };
}

const fine = (part: string): Part => ({ part, state: 'ok', since: null, blocks: null, next: null });
const unknown = (part: string): Part => ({ ...fine(part), state: 'unknown' });
