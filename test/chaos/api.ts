// The API as src/main/api.ts composes it, with failpoints around its ports.
import { startApi } from '../../src/main/api';
import { runProcess } from '../../src/main/process';
import { dyingAround } from './faults/failpoints';

runProcess('api', () => startApi(dyingAround()));
