// A durable, append-only file of JSON lines, for the sandbox's journal of paid money and for its
// inboxes. It does not depend on our Postgres.
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 65_536;

/** A longer line was not written by this class, so reading never holds more than this in memory. */
const LINE_MAX_BYTES = 1_048_576;

/** Holds only the unwritten lines in memory. One process at a time may have the file open. */
export class JsonLines {
  readonly #file: FileHandle;
  #durableBytes: number;
  /** Lines that wait for the write under way. */
  #waiting: string[] = [];
  #lastWrite = Promise.resolve();
  #broken: Error | undefined;

  private constructor(file: FileHandle, durableBytes: number) {
    this.#file = file;
    this.#durableBytes = durableBytes;
  }

  /**
   * Opens or creates the file and passes each entry to `onEntry`, oldest first. A killed process
   * may leave a torn last line: that line was never acknowledged, and it is cut off.
   * @throws Error when a complete line is not JSON: the file is not ours or is damaged, and it is
   * left as it is
   */
  static async open(path: string, onEntry: (entry: unknown) => void): Promise<JsonLines> {
    const file = await open(path, 'a+');
    try {
      const durableBytes = await readEntries(file, onEntry);
      await file.truncate(durableBytes);
      await file.sync();
      await syncFolder(dirname(path));
      return new JsonLines(file, durableBytes);
    } catch (cause) {
      await file.close();
      throw new Error(`cannot open ${path} as a file of JSON lines`, { cause });
    }
  }

  /**
   * Resolves once the entry is on the disk. Entries that arrive during a write share the next
   * fsync. After a failed write the content of the file is unknown: every later append rejects
   * until the file is opened again.
   */
  append(entry: object): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    if (this.#waiting.length === 0) this.#lastWrite = this.#lastWrite.then(() => this.#write());
    this.#waiting.push(`${JSON.stringify(entry)}\n`);
    return this.#lastWrite;
  }

  /** The lines that were durable when the read began, oldest first, exactly as in the file. */
  async *read(): AsyncGenerator<string> {
    for await (const { text } of completeLines(this.#file, this.#durableBytes)) yield text;
  }

  /** Waits for the writes under way, then closes. */
  async close(): Promise<void> {
    this.#broken ??= new Error('the file is closed');
    await this.#lastWrite.catch(() => undefined);
    await this.#file.close();
  }

  async #write(): Promise<void> {
    const bytes = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    try {
      await this.#file.appendFile(bytes);
      await this.#file.datasync();
    } catch (cause) {
      this.#broken = new Error('a write to the file of JSON lines failed', { cause });
      throw this.#broken;
    }
    this.#durableBytes += bytes.length;
  }
}

/** @returns the offset after the last complete line */
async function readEntries(file: FileHandle, onEntry: (entry: unknown) => void): Promise<number> {
  const { size } = await file.stat();
  let end = 0;
  for await (const line of completeLines(file, size)) {
    onEntry(JSON.parse(line.text));
    end = line.endsAt;
  }
  return end;
}

interface Line {
  readonly text: string;
  /** The offset after its newline. */
  readonly endsAt: number;
}

async function* completeLines(file: FileHandle, end: number): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  let offset = 0;
  for await (const chunk of chunks(file, end)) {
    rest = Buffer.concat([rest, chunk]);
    for (let cut = rest.indexOf(NEWLINE); cut !== -1; cut = rest.indexOf(NEWLINE)) {
      offset += cut + 1;
      yield { text: rest.toString('utf8', 0, cut), endsAt: offset };
      rest = rest.subarray(cut + 1);
    }
    if (rest.length > LINE_MAX_BYTES)
      throw new Error(`a line is too long, at byte ${String(offset)}`);
  }
}

async function* chunks(file: FileHandle, end: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < end;) {
    const length = Math.min(CHUNK_BYTES, end - position);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Without this, a power cut soon after the creation of the file may lose its directory entry. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
