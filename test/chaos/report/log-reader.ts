// Reads every line of every log once, during the run: a restart rotates a long log and deletes the
// log that was rotated before (src/dev/stack/log-file.ts).
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

export type LogReader = ReturnType<typeof createLogReader>;

interface OpenFile {
  readonly name: string;
  /** Stays open when the file is renamed or deleted, so that its last bytes can be read. */
  readonly descriptor: number;
  readBytes: number;
  lines: number;
  /** The beginning of an unfinished line. */
  rest: string;
}

const CHUNK_BYTES = 1 << 20;

/** @param onLine gets each line and its place, such as `api-1.log:17` */
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
  const reportLine = (file: OpenFile, line: string) => {
    file.lines += 1;
    if (line !== '') onLine(`${file.name}:${file.lines}`, line);
  };
  const read = (file: OpenFile) => {
    for (let text = readChunk(file); text !== ''; text = readChunk(file)) {
      const lines = (file.rest + text).split('\n');
      file.rest = lines.pop() ?? '';
      for (const line of lines) reportLine(file, line);
    }
  };
  /** Reads the lines that were written since the last call. */
  const readOn = () => {
    openNew();
    for (const file of files.values()) read(file);
  };
  return {
    readOn,
    /** Reads the rest, including an unfinished last line, and closes the files. */
    end() {
      readOn();
      for (const file of files.values()) {
        if (file.rest !== '') reportLine(file, file.rest);
        closeSync(file.descriptor);
      }
      files.clear();
    },
  };
}

/** Reads Latin-1, so that no character is split between chunks. All search patterns are ASCII. */
function readChunk(file: OpenFile): string {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  const bytes = readSync(file.descriptor, buffer, 0, CHUNK_BYTES, file.readBytes);
  file.readBytes += bytes;
  return buffer.toString('latin1', 0, bytes);
}
