// The worker as src/main/worker.ts composes it, with failpoints around its ports.
import { runProcess } from '../../src/main/process';
import { startWorker } from '../../src/main/worker';
import { dyingAround } from './dying';

runProcess('worker', () => startWorker(dyingAround()));
