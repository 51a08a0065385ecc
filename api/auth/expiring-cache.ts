// A bounded cache of answers for some seconds, with one look-up at a time per key. Absent answers are not kept, so that
// what operations have just created is there at once.
import type { Clock } from '../../src/ports/clock';

interface Entry<Value> {
  readonly value: Promise<Value | undefined>;
  readonly untilMs: number;
}

interface ExpiringCacheOptions<Value> {
  readonly clock: Clock;
  readonly keptMs: number;
  readonly entriesMax: number;
  readonly load: (key: string) => Promise<Value | undefined>;
}

export function createExpiringCache<Value>(
  options: ExpiringCacheOptions<Value>,
): (key: string) => Promise<Value | undefined> {
  const entries = new Map<string, Entry<Value>>();
  return async (key) => {
    const nowMs = options.clock.now().getTime();
    const kept = entries.get(key);
    if (kept !== undefined && kept.untilMs > nowMs) return kept.value;
    const entry = { value: options.load(key), untilMs: nowMs + options.keptMs };
    remember(entries, key, entry, options.entriesMax);
    const forget = () => {
      if (entries.get(key) === entry) entries.delete(key);
    };
    try {
      const value = await entry.value;
      if (value === undefined) forget();
      return value;
    } catch (error) {
      forget();
      throw error;
    }
  };
}

/** Maps keep the order of insertion, so the first key is the oldest. */
function remember<Value>(
  entries: Map<string, Entry<Value>>,
  key: string,
  entry: Entry<Value>,
  entriesMax: number,
): void {
  entries.delete(key);
  entries.set(key, entry);
  const oldest = entries.keys().next();
  if (entries.size > entriesMax && oldest.done === false) entries.delete(oldest.value);
}
