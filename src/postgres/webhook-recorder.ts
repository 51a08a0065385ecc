// Records together what many holders in this process finish at about the same time (decision 19), since a statement costs
// more than an event in it. Alone, a holder waits for nobody.
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../domain/errors';
import type { WebhookNext } from '../ports/webhook-store';
import { isUndone, type Queryable } from './database';
import { finishWebhooks, type Finishing } from './webhook-finish';

/** A statement of so many events takes some 40 ms. */
const EVENTS_TOGETHER = 1_024;
/** Who comes sooner than this after the last statement waits for others: what was fetched before is being sent meanwhile. */
const APART_MS = 20;

export interface WebhookRecorder {
  finish(finishing: Finishing): Promise<WebhookNext>;
}

interface Waiting {
  readonly finishing: Finishing;
  readonly resolve: (next: WebhookNext) => void;
  readonly reject: (error: unknown) => void;
}

export function createWebhookRecorder(database: Queryable): WebhookRecorder {
  const waiting: Waiting[] = [];
  let isRunning = false;
  let nextAtMs = 0;
  const record = async (batch: readonly Waiting[]) => {
    try {
      const finishings = batch.map(({ finishing }) => finishing);
      const told = await finishWebhooks(database, finishings);
      for (const [nth, next] of told.entries()) batch[nth]?.resolve(next);
    } catch (error) {
      if (batch.length > 1 && hasRecordedNothing(error)) await recordEach(batch);
      else for (const { reject } of batch) reject(error);
    }
  };
  /** What cannot be recorded of one, or waits for a lock of its partner's, must not keep the others' from being told. */
  const recordEach = (batch: readonly Waiting[]) => Promise.all(batch.map((one) => record([one])));
  const run = async () => {
    isRunning = true;
    while (waiting.length > 0) {
      await pause(Math.max(0, nextAtMs - performance.now()));
      nextAtMs = performance.now() + APART_MS;
      await record(takeTogether(waiting));
    }
    isRunning = false;
  };
  return {
    finish: (finishing) =>
      new Promise((resolve, reject) => {
        waiting.push({ finishing, resolve, reject });
        if (!isRunning) void run();
      }),
  };
}

/** When Postgres is away it may have recorded all of it: then nothing is repeated, and the leases run out. */
function hasRecordedNothing(error: unknown): boolean {
  return !(error instanceof DomainError) || isUndone(error);
}

/** Takes out the first ones, at least one, up to one whose event is among them already: no row can be written twice at once. */
function takeTogether(waiting: Waiting[]): readonly Waiting[] {
  const seen = new Set<string>();
  const isNew = ({ finishing }: Waiting) => {
    const { attempts, unsent } = finishing.record;
    const ids = [...attempts.map(({ event }) => event), ...unsent].map(({ eventId }) => eventId);
    const hasSeen = ids.some((id) => seen.has(id));
    for (const id of ids) seen.add(id);
    return !hasSeen;
  };
  const end = waiting.findIndex((one) => !isNew(one) || seen.size > EVENTS_TOGETHER);
  return waiting.splice(0, end < 0 ? waiting.length : Math.max(1, end));
}
