// One `npm start` per clone (architecture, section 7): a second one learns who runs, a killed one's lock is taken over.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ourIdentity } from '../../src/dev/process-end';
import { takeStartLock } from '../../src/dev/start-lock';
import { withFolder } from './scripts';

describe('the start lock', () => {
  it('is refused while its owner lives, and free after that', () =>
    withFolder((folder) => {
      const first = takeStartLock(folder);
      expect(takeStartLock(folder)).toEqual({ isOurs: false, owner: ourIdentity() });
      if (first.isOurs) first.release();
      expect(takeStartLock(folder).isOurs).toBe(true);
      return Promise.resolve();
    }));

  it.each([
    ['of a process that is gone', { pid: 4_194_000, startedAt: 'once' }],
    ['whose pid belongs to a stranger by now', { pid: process.pid, startedAt: 'long ago' }],
    ['that holds nonsense', 'nonsense'],
  ])('%s is taken over', (_case, owner) =>
    withFolder((folder) => {
      writeFileSync(join(folder, 'start.lock'), JSON.stringify(owner));
      expect(takeStartLock(folder).isOurs).toBe(true);
      return Promise.resolve();
    }),
  );
});
