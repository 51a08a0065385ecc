// Reads every line of every log of a run, once, while it goes on: a log that grows long is set aside at a restart, and the
// one set aside before it is gone (src/dev/stack/log-file.ts).
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

export type LogReader = ReturnType<typeof createLogReader>;

interface OpenFile {
  readonly name: string;
  /** Stays open over a renaming, and to the last byte of a file that is gone. */
  readonly descriptor: number;
  readBytes: number;
  lines: number;
  /** The beginning of a line whose end is not written yet. */
  rest: string;
}

const CHUNK_BYTES = 1 << 20;

/** @param onLine told each line and where it stands, such as `api-1.log:17` */
export function createLogReader(folder: string, onLine: (where: string, line: string) => void) {
  const files = new Map<number, OpenFile>();
  const openNew = () => {
    for (const name of readdirSync(folder)) {
      const descriptor = openSync(join(folder, name), 'r');
      const { ino } = fstatSync(descriptor);
      if (files.has(ino)) closeSync(descriptor);
      else files.set(ino, { name, descriptor, readBytes: 0, lines: 0, rest: '' });
    }
  };
  const tell = (file: OpenFile, line: string) => {
    file.lines += 1;
    if (line !== '') onLine(`${file.name}:${file.lines}`, line);
  };
  const read = (file: OpenFile) => {
    for (let text = readChunk(file); text !== ''; text = readChunk(file)) {
      const lines = (file.rest + text).split('\n');
      file.rest = lines.pop() ?? '';
      for (const line of lines) tell(file, line);
    }
  };
  /** What was written since the last time, line by line. */
  const readOn = () => {
    openNew();
    for (const file of files.values()) read(file);
  };
  return {
    readOn,
    /** Once more, to the last line. */
    end() {
      readOn();
      for (const file of files.values()) {
        if (file.rest !== '') tell(file, file.rest);
        closeSync(file.descriptor);
      }
      files.clear();
    },
  };
}

/** Latin-1, so that no character is cut in two: what is looked for is ASCII. */
function readChunk(file: OpenFile): string {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  const bytes = readSync(file.descriptor, buffer, 0, CHUNK_BYTES, file.readBytes);
  file.readBytes += bytes;
  return buffer.toString('latin1', 0, bytes);
}
