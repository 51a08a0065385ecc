// What the provider really executed, by its own journal (architecture, section 6).
export interface JournalEntry {
  readonly key: string;
  readonly amount_usd_cents: number;
  readonly corridor: string;
  readonly executed_at: string;
}

const ANSWER_WITHIN_MS = 20_000;

export async function readJournal(providerUrl: string): Promise<readonly JournalEntry[]> {
  const reply = await fetch(`${providerUrl}/journal`, {
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  return (await reply.json()) as readonly JournalEntry[];
}
