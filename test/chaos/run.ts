// One run: load and faults together, then healing, settling, and the checks.
import { join } from 'node:path';
import { until } from '../../src/dev/until';
import { createCast, type Cast } from './actors/actors';
import { collect } from './report/collect';
import type { ChaosWishes } from './command-line';
import { conclude } from './report/conclude';
import { allowAgain } from './faults/faults';
import { makeFinalRound } from './actors/final-round';
import { APIS } from './faults/links';
import { createLogReader } from './report/log-reader';
import { releaseCommits, reviveDatabase } from './faults/postgres-strikes';
import type { Report } from './report/report';
import { createSecretSearch, knownSecrets } from './report/secrets';
import { settle } from './settle';
import { strain, type Progress } from './load-and-faults';
import type { System } from './system';
import { makeCurrent } from './faults/versions';

const LOGS_READ_EVERY_MS = 10_000;
const READY_WITHIN_MS = 60_000;

export async function runChaos(
  system: System,
  wishes: ChaosWishes,
  progress: Progress,
): Promise<Report> {
  const cast = createCast(system, wishes);
  const search = createSecretSearch(knownSecrets(system.secrets, system.partners));
  const logs = createLogReader(join(system.directory, 'logs'), search.look);
  const reading = setInterval(() => logs.readOn(), LOGS_READ_EVERY_MS);
  if (!(await makeCurrent(cast.client, 'build-1', READY_WITHIN_MS)))
    throw new Error('Temporal does not take the builds of the workers');
  const struck = await strain(system, cast, wishes, progress);
  progress.line('  the load is over; healing');
  await heal(system, cast);
  await cast.load.playHealed();
  const told = await makeFinalRound(cast.desk, cast.partners);
  const settling = await settle(cast, wishes.patienceSeconds, progress.status);
  progress.line(
    `  ${settling.isSettled ? 'settled' : 'NOT settled'} after ${settling.seconds.toFixed(0)} s; asking all sources`,
  );
  clearInterval(reading);
  const evidence = await collect(system, cast, { search, logs });
  const report = conclude(system, cast, wishes, { struck, settling, told, evidence, search });
  await cast.close();
  return report;
}

/** Whatever is still harmed is mended; what was sent again as it is, is answered. */
async function heal(system: System, cast: Cast): Promise<void> {
  const { database, desk, clocks, endpoints, partners } = cast;
  system.links.mend();
  await system.disk.resume();
  await system.disk.free();
  await reviveDatabase(system, database);
  await releaseCommits(database);
  await allowAgain(database);
  for (const api of APIS) {
    const isReady = await until(() => system.isReady(api), { timeoutMs: READY_WITHIN_MS });
    if (!isReady)
      throw new Error(`${api} does not come back; its log is in ${system.directory}/logs`);
    clocks.set(api, 0);
  }
  for (const { partner } of partners) await endpoints.enable(partner.partner_id);
  await desk.drain();
}
