// A second `npm start` beside one that has no address to show.
import { takeStartLock } from '../../../src/dev/stack/start-lock';
import { runToEnd } from '../../support/programs/run-to-end';
import { withFolder } from '../setup/scripts';

it('says that the first one starts or stops, since either ends in seconds', () =>
  withFolder(async (folder) => {
    const lock = takeStartLock(folder);
    const ran = await runToEnd('src/dev/start.ts', [], { LOCAL_DIR: folder, NO_COLOR: '1' });
    if (lock.isOurs) lock.release();
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain(
      `\`npm start\` is running here already (pid ${process.pid}), and starts or stops: wait for that, then repeat.`,
    );
  }));
