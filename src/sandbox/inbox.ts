// The durable inbox of a sandbox partner: headers and raw body of each webhook (architecture,
// section 7, `webhook_inbox_url`).
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { JsonLines } from './json-lines';

/**
 * An inbox is two files of at most this many entries each: when the newer is full, the older is
 * dropped.
 */
const FILE_ENTRIES_MAX = 50_000;

interface InboxEntry {
  readonly received_at: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Inbox = Awaited<ReturnType<typeof openInbox>>;

/** Stores the newest entries: at least 50 000 of them, at most 100 000. */
export async function openInbox(directory: string, slug: string, entriesMax = FILE_ENTRIES_MAX) {
  const path = join(directory, `inbox-${slug}.jsonl`);
  const olderPath = join(directory, `inbox-${slug}.older.jsonl`);
  let older = await openFile(olderPath);
  let newer = await openFile(path);
  let rotating: Promise<void> | undefined;
  /** Appends under way continue in the renamed file. */
  const rotate = async () => {
    await older.lines.close();
    await rename(path, olderPath);
    older = newer;
    newer = await openFile(path);
    rotating = undefined;
  };
  return {
    /** Resolves once the entry is durable. */
    async append(entry: InboxEntry): Promise<void> {
      while (newer.entries >= entriesMax) await (rotating ??= rotate());
      newer.entries += 1;
      await newer.lines.append(entry);
    },
    /** Each entry as JSON, oldest first. */
    async *read(): AsyncGenerator<string> {
      const files = [older, newer];
      for (const { lines } of files) yield* lines.read();
    },
    async close(): Promise<void> {
      await rotating;
      await Promise.all([older.lines.close(), newer.lines.close()]);
    },
  };
}

async function openFile(path: string) {
  let entries = 0;
  const lines = await JsonLines.open(path, () => {
    entries += 1;
  });
  return { lines, entries };
}
