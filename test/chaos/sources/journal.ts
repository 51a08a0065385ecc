// What the provider really executed, by its own journal (architecture, section 6).
import { until } from '../../../src/dev/until';

export interface JournalEntry {
  readonly key: string;
  readonly amount_usd_cents: number;
  readonly corridor: string;
  readonly executed_at: string;
}

const ANSWER_WITHIN_MS = 20_000;

/** A connection that the process before a kill had left open fails once: its successor is asked again. */
export async function readJournal(providerUrl: string): Promise<readonly JournalEntry[]> {
  let journal: readonly JournalEntry[] | undefined;
  let failure: unknown;
  const isRead = async () => {
    try {
      const reply = await fetch(`${providerUrl}/journal`, {
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      journal = (await reply.json()) as readonly JournalEntry[];
    } catch (error) {
      failure = error;
    }
    return journal !== undefined;
  };
  await until(isRead, { timeoutMs: ANSWER_WITHIN_MS, everyMs: 500 });
  if (journal === undefined) throw new Error('the journal was not read', { cause: failure });
  return journal;
}
