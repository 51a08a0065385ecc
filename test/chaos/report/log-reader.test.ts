// Every line of every log is searched, even when the file is renamed (src/dev/stack/log-file.ts
// rotates long logs).
import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFolder } from '../../support/brackets';
import { createLogReader } from './log-reader';

const folder = withFolder();

it('the log reader reports each line once and whole, also of rotated logs and new ones', () => {
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
