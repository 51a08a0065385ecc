// payctl whose output is not read any more, as in `payctl … | head -1`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { RUN_TYPESCRIPT } from '../../src/dev/tools';
import { withDatabase } from '../support/brackets';
import { countOf, KEY_ENCRYPTION_KEY } from '../support/builders';
import { ROOT } from '../support/programs/fixture-project';
import { PAYCTL } from '../support/programs/payctl';
import { NOTHING_ELSE } from '../support/programs/run-to-end';

const bed = withDatabase();

it('a command whose reader has gone is carried out, and exits 0 without a stack trace', async () => {
  const program = PAYCTL.endsWith('.ts') ? [...RUN_TYPESCRIPT, PAYCTL] : [PAYCTL];
  const command = ['payouts', 'stop', '--as', 'ann', '--reason', 'a drill'];
  const key = KEY_ENCRYPTION_KEY.toString('base64');
  const child = spawn(process.execPath, [...program, ...command], {
    cwd: ROOT,
    env: { ...NOTHING_ELSE, DATABASE_URL: bed.url, KEY_ENCRYPTION_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  await once(child, 'close');
  expect([child.exitCode, stderr]).toEqual([0, '']);
  expect(await countOf(bed, 'select count(*) from payout_stops')).toBe(1);
});
