// The start of the packed sandbox (decision 142): its package contains the built files.
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { serveUntilStopped } from '../serve';
import { ROOT } from '../tools';

serveUntilStopped({
  workflows: () => Promise.resolve(join(ROOT, 'workflow-bundle.js')),
  checkout: (folder) => cp(join(ROOT, 'checkout'), folder, { recursive: true }),
});
