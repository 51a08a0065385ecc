// Every line of every log is looked into, whatever becomes of the file (src/dev/log-file.ts sets long ones aside).
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogReader } from './log-reader';

describe('the reader of logs', () => {
  let folder = '';
  let seen: string[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'logs-'));
    seen = [];
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const aReader = () => createLogReader(folder, (where, line) => seen.push(`${where} ${line}`));
  const path = (name: string) => join(folder, name);

  it('tells each line once, with its place', () => {
    writeFileSync(path('api-1.log'), 'one\n\nthree\n');
    const reader = aReader();
    reader.readOn();
    reader.readOn();
    appendFileSync(path('api-1.log'), 'four\n');
    reader.end();
    expect(seen).toEqual(['api-1.log:1 one', 'api-1.log:3 three', 'api-1.log:4 four']);
  });

  it('waits for the end of a line, and tells the last one without its end', () => {
    writeFileSync(path('api-1.log'), 'be');
    const reader = aReader();
    reader.readOn();
    expect(seen).toEqual([]);
    appendFileSync(path('api-1.log'), 'gun\nunfinished');
    reader.end();
    expect(seen).toEqual(['api-1.log:1 begun', 'api-1.log:2 unfinished']);
  });

  it('reads a file that was set aside to its end, and the one in its place from its beginning', () => {
    writeFileSync(path('api-1.log'), 'old\n');
    const reader = aReader();
    reader.readOn();
    appendFileSync(path('api-1.log'), 'last words\n');
    renameSync(path('api-1.log'), path('api-1.log.1'));
    writeFileSync(path('api-1.log'), 'new\n');
    reader.readOn();
    rmSync(path('api-1.log.1'));
    reader.end();
    expect(seen).toEqual(['api-1.log:1 old', 'api-1.log:2 last words', 'api-1.log:1 new']);
  });

  it('reads logs that are there later', () => {
    const reader = aReader();
    reader.readOn();
    writeFileSync(path('payctl.log'), 'late\n');
    reader.end();
    expect(seen).toEqual(['payctl.log:1 late']);
  });
});
