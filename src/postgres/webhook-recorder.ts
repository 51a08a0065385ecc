// Records together what many holders in this process finish at about the same time (decision 19), since a statement costs
// more than an event in it. Alone, a holder waits for nobody.
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../domain/errors';
import type { WebhookNext } from '../ports/webhook-store';
import type { Queryable } from './database';
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
      // What cannot be recorded of one must not keep the others' from being told. When Postgres is away it may have
      // recorded all of it: then nothing is repeated, and the leases run out.
      const isAway = error instanceof DomainError;
      if (batch.length > 1 && !isAway) for (const one of batch) await record([one]);
      else for (const { reject } of batch) reject(error);
    }
  };
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

/** Takes out the first ones, at least one, up to one whose event is among them already: no row can be written twice at once. */
function takeTogether(waiting: Waiting[]): readonly Waiting[] {
  const seen = new Set<string>();
  const isNew = ({ finishing }: Waiting) => {
    const ids = finishing.record.attempts.map(({ event }) => event.eventId);
    const hasSeen = ids.some((id) => seen.has(id));
    for (const id of ids) seen.add(id);
    return !hasSeen;
  };
  const end = waiting.findIndex((one) => !isNew(one) || seen.size > EVENTS_TOGETHER);
  return waiting.splice(0, end < 0 ? waiting.length : Math.max(1, end));
}
