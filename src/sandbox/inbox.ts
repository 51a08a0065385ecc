// What a sandbox partner received, kept durably: each webhook's headers and raw body (architecture, section 7,
// `webhook_inbox_url`).
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { JsonLines } from './json-lines';

/** An inbox is two files of at most this many entries each: when the newer is full, the older is dropped. */
const FILE_ENTRIES_MAX = 50_000;

export interface InboxEntry {
  readonly received_at: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface InboxFile {
  readonly lines: JsonLines;
  entries: number;
}

/** Keeps the newest entries: at least 50 000 of them, at most 100 000. */
export class Inbox {
  readonly #path: string;
  readonly #entriesMax: number;
  #older: InboxFile;
  #newer: InboxFile;
  #turning: Promise<void> | undefined;

  private constructor(
    path: string,
    files: { readonly older: InboxFile; readonly newer: InboxFile },
    entriesMax: number,
  ) {
    this.#path = path;
    this.#older = files.older;
    this.#newer = files.newer;
    this.#entriesMax = entriesMax;
  }

  static async open(
    directory: string,
    slug: string,
    entriesMax = FILE_ENTRIES_MAX,
  ): Promise<Inbox> {
    const path = join(directory, `inbox-${slug}.jsonl`);
    const older = await openFile(olderPath(path));
    return new Inbox(path, { older, newer: await openFile(path) }, entriesMax);
  }

  /** Resolves once the entry is durable. */
  async append(entry: InboxEntry): Promise<void> {
    while (this.#newer.entries >= this.#entriesMax) {
      this.#turning ??= this.#turn();
      await this.#turning;
    }
    this.#newer.entries += 1;
    await this.#newer.lines.append(entry);
  }

  /** Each entry as JSON, oldest first. */
  async *read(): AsyncGenerator<string> {
    const [older, newer] = [this.#older, this.#newer];
    yield* older.lines.read();
    yield* newer.lines.read();
  }

  async close(): Promise<void> {
    await this.#turning;
    await Promise.all([this.#older.lines.close(), this.#newer.lines.close()]);
  }

  /** Appends under way go on into the renamed file. */
  async #turn(): Promise<void> {
    await this.#older.lines.close();
    await rename(this.#path, olderPath(this.#path));
    this.#older = this.#newer;
    this.#newer = await openFile(this.#path);
    this.#turning = undefined;
  }
}

function olderPath(path: string): string {
  return path.replace(/\.jsonl$/, '.older.jsonl');
}

async function openFile(path: string): Promise<InboxFile> {
  let entries = 0;
  const lines = await JsonLines.open(path, () => {
    entries += 1;
  });
  return { lines, entries };
}
