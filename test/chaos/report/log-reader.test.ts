// Every line of every log is looked into, whatever becomes of the file (src/dev/stack/log-file.ts sets long ones aside).
import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFolder } from '../../support/brackets';
import { createLogReader } from './log-reader';

const folder = withFolder();

it('the reader of logs tells each line once and whole, also of a log that is set aside or there later', () => {
  const log = join(folder, 'api-1.log');
  const seen: string[] = [];
  const reader = createLogReader(folder, (where, line) => seen.push(`${where} ${line}`));
  writeFileSync(log, 'one\n\nthr');
  reader.readOn();
  expect(seen).toEqual(['api-1.log:1 one']);
  appendFileSync(log, 'ee\nlast words\n');
  renameSync(log, `${log}.1`);
  writeFileSync(log, 'new\n');
  reader.readOn();
  rmSync(`${log}.1`);
  appendFileSync(log, 'unfinished');
  reader.end();
  const old = ['api-1.log:3 three', 'api-1.log:4 last words'];
  expect(seen.slice(1).sort()).toEqual(
    [...old, 'api-1.log:1 new', 'api-1.log:2 unfinished'].sort(),
  );
});
