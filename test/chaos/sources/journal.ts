// Source 2: the payouts that the provider executed, by its own journal (architecture, section 6).
import { until } from '../../../src/dev/until';

export interface JournalEntry {
  readonly key: string;
  readonly amount_usd_cents: number;
  readonly corridor: string;
  readonly executed_at: string;
}

const ANSWER_WITHIN_MS = 20_000;

/** Retries, because a connection to a killed process fails once before a new one is opened. */
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
  if (journal === undefined)
    throw new Error('the journal of the provider could not be read', { cause: failure });
  return journal;
}
