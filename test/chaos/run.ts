// One chaos run: load with faults, then healing, settling and the checks.
import { join } from 'node:path';
import { until } from '../../src/dev/until';
import { createActors, type Actors } from './actors/actors';
import { collect } from './report/collect';
import type { ChaosOptions } from './command-line';
import { conclude } from './report/conclude';
import { allowAgain } from './faults/faults';
import { makeFinalRound } from './actors/final-round';
import { APIS } from './faults/links';
import { createLogReader } from './report/log-reader';
import { releaseCommits, reviveDatabase } from './faults/postgres-faults';
import { endRestoreStops } from './actors/operator-rounds';
import type { Report } from './report/report';
import { createSecretSearch, knownSecrets } from './report/secrets';
import { findCreatedForPeople } from './actors/for-people';
import { settle } from './settle';
import { runLoadAndFaults, type Progress } from './load-and-faults';
import type { System } from './system';
import { makeCurrent } from './faults/versions';

const LOGS_READ_EVERY_MS = 10_000;
const READY_WITHIN_MS = 60_000;

export async function runChaos(
  system: System,
  options: ChaosOptions,
  progress: Progress,
): Promise<Report> {
  const actors = createActors(system, options);
  const search = createSecretSearch(knownSecrets(system.secrets, system.partners));
  const logs = createLogReader(join(system.directory, 'logs'), search.look);
  const reading = setInterval(() => logs.readOn(), LOGS_READ_EVERY_MS);
  if (!(await makeCurrent(actors.client, 'build-1', READY_WITHIN_MS)))
    throw new Error('Temporal does not accept the worker builds');
  const injected = await runLoadAndFaults(system, actors, options, progress);
  progress.line('  the load has ended; removing all faults');
  await heal(system, actors);
  await actors.load.playHealed();
  const finalRound = await makeFinalRound(
    actors,
    await findCreatedForPeople(actors.database, actors.forPeople),
  );
  const settling = await settle(actors, progress.status);
  progress.line(
    `  ${settling.isSettled ? 'settled' : 'NOT settled'} after ${settling.seconds.toFixed(0)} s, ${settling.replayed} webhooks replayed; reading all sources`,
  );
  clearInterval(reading);
  const evidence = await collect(system, actors, { search, logs });
  const report = conclude(system, actors, options, {
    injected,
    settling,
    finalRound,
    evidence,
    search,
  });
  await actors.close();
  return report;
}

/** Removes all remaining faults, and waits for the answers of all replays. */
async function heal(system: System, actors: Actors): Promise<void> {
  const { database, driver, clocks, endpoints, partners, putBacks } = actors;
  system.links.mend();
  await system.disk.resume();
  await system.disk.free();
  await reviveDatabase(system, database);
  await releaseCommits(database);
  await allowAgain(database);
  if (putBacks.length > 0) await endRestoreStops(database);
  for (const api of APIS) {
    const isReady = await until(() => system.isReady(api), { timeoutMs: READY_WITHIN_MS });
    if (!isReady)
      throw new Error(`${api} does not come back; its log is in ${system.directory}/logs`);
    clocks.set(api, 0);
  }
  for (const { partner } of partners) await endpoints.enable(partner.partner_id);
  await driver.drain();
}
