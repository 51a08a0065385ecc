// How each scheduled fault strikes, and how it is healed.
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../src/dev/until';
import type { Database } from '../../src/postgres/database';
import { allowPayouts, createPayoutStops } from '../../src/postgres/payout-stops';
import type { CutProxy } from '../faults/cut-proxy';
import { armTrap } from './failpoints';
import { freezeProcesses } from './frozen';
import { terminateSome } from './terminations';
import { BUILDS, makeCurrent } from './versions';
import { APIS, PARTNERS, WORKERS, type ProcessName, type ServerName } from './links';
import { harmDisk, migrateTable, stallCommits } from './postgres-strikes';
import type { ScheduledFault } from './schedule';
import { isDone, READY_WITHIN_MS, type FaultTools, type Strike } from './strike';
import type { System } from './system';

export function strikeOf({ kind }: ScheduledFault): Strike {
  const [how = ''] = kind.split(' ');
  const strike = STRIKES[kind] ?? STRIKES[how];
  if (strike === undefined) throw new Error(`nobody knows how to ${kind}`);
  return strike;
}

const OPERATIONS = { actor: 'chaos', reason: 'a fault of the schedule', kind: 'operator' as const };

/** What operations have stopped; a stop of the watch is none of the harness. */
export async function allowAgain(database: Database): Promise<void> {
  const allow = () => isDone(allowPayouts(database, { ...OPERATIONS, isAfterRestore: false }));
  await until(allow, { timeoutMs: READY_WITHIN_MS });
}

const STRIKES: Readonly<Record<string, Strike>> = {
  kill: ({ targets }, { system }) => {
    for (const target of targets) system.kill(target);
    return Promise.resolve(targets.length);
  },
  failpoint: async ({ targets, detail, lastsMs }, { system }) => {
    const traps = targets.map((target) => armTrap(system.directory, target, detail));
    await until(() => traps.every((trap) => trap.hasStruck()), { timeoutMs: lastsMs });
    const struck = traps.filter((trap) => trap.hasStruck()).length;
    for (const trap of traps) trap.disarm();
    return struck;
  },
  cut: (fault, tools) => onLinks(fault, tools, (link) => link.cut()),
  mute: (fault, tools) => onLinks(fault, tools, (link) => link.mute()),
  stall: (fault, tools) => onLinks(fault, tools, (link) => link.stall()),
  gateway: (fault, tools) => onLinks(fault, tools, (link) => link.intercept(GATEWAY_404)),
  slow: (fault, tools) => onLinks(fault, tools, (link) => link.slow(Number(fault.detail))),
  freeze: async ({ targets, lastsMs }, { system, slowCommits }) => {
    const pids = targets.map((target) => system.pidOf(target)).filter((pid) => pid !== undefined);
    await slowCommits.during(async () => {
      const thaw = await freezeProcesses(pids);
      await pause(lastsMs);
      thaw();
    });
    return pids.length;
  },
  disk: harmDisk,
  'commits stalled': stallCommits,
  migration: migrateTable,
  'clock skew': (fault, tools) => oneAfterAnother(() => skewClock(fault, tools)),
  'worker versions': async ({ detail, lastsMs }, { client }) => {
    const build = Object.values(BUILDS).find((known) => known === detail);
    return build !== undefined && (await makeCurrent(client, build, lastsMs)) ? 1 : 0;
  },
  'webhooks disabled': async ({ targets, lastsMs }, { system, endpoints }) => {
    const partnerId = partnerOf(targets, system);
    const isDisabled = await isDone(endpoints.disable(partnerId));
    await pause(lastsMs);
    const enable = () => isDone(endpoints.enable(partnerId));
    await until(enable, { timeoutMs: READY_WITHIN_MS });
    await isDone(endpoints.replayMissed());
    return isDisabled ? 1 : 0;
  },
  'payouts stopped': async ({ lastsMs }, { database }) => {
    const areStopped = await isDone(createPayoutStops(database).stop(OPERATIONS));
    await pause(lastsMs);
    await allowAgain(database);
    return areStopped ? 1 : 0;
  },
  'webhook secret rotated': async ({ targets }, { system, endpoints }) =>
    (await isDone(endpoints.rotate(partnerOf(targets, system)))) ? 1 : 0,
  'runs terminated': (_fault, { client, database }) => terminateSome(client, database),
};

/** What a gateway says that has lost its route to the provider. It speaks of no payout. */
const GATEWAY_404 = [
  'HTTP/1.1 404 Not Found',
  ...['content-type: text/html', 'content-length: 22', 'connection: close'],
  ...['', '<h1>404 Not Found</h1>'],
].join('\r\n');

async function onLinks(
  { kind, targets, lastsMs }: ScheduledFault,
  { system }: FaultTools,
  harm: (link: CutProxy) => void,
): Promise<number> {
  const server = serverOf(kind);
  const links = targets.map((target) => system.links.link(processOf(target), server));
  for (const link of links) harm(link);
  await pause(lastsMs);
  for (const link of links) link.mend();
  return links.length;
}

const SERVERS: readonly ServerName[] = ['postgres', 'temporal', 'provider', 'partner'];

function partnerOf(targets: readonly string[], { partners }: System): string {
  const partner = partners[PARTNERS.findIndex((name) => targets.includes(name))];
  if (partner === undefined) throw new Error(`${targets.join()} names no partner`);
  return partner.partner_id;
}

/** Of a kind such as `cut api-postgres`. */
function serverOf(kind: string): ServerName {
  const server = SERVERS.find((name) => kind.endsWith(`-${name}`));
  if (server === undefined) throw new Error(`${kind} names no server`);
  return server;
}

function processOf(name: string): ProcessName {
  const process = [...APIS, ...WORKERS].find((known) => known === name);
  if (process === undefined) throw new Error(`${name} has no links`);
  return process;
}

let lastSkew: Promise<unknown> = Promise.resolve();

/** A clock that could not be put right in time, since Postgres was away, is put right before the next is wrong. */
function oneAfterAnother<Result>(work: () => Promise<Result>): Promise<Result> {
  const done = lastSkew.then(work);
  lastSkew = done.catch(() => undefined);
  return done;
}

async function skewClock({ targets, detail, lastsMs }: ScheduledFault, tools: FaultTools) {
  const [api] = targets;
  const name = APIS.find((known) => known === api);
  if (name === undefined) return 0;
  await setClock(name, Number(detail), tools);
  await pause(lastsMs);
  await setClock(name, 0, tools);
  return 1;
}

/** By a process that is started with that clock; what it answers until then may go by either. */
async function setClock(
  api: (typeof APIS)[number],
  shiftMs: number,
  { system, clocks }: FaultTools,
): Promise<void> {
  clocks.set(api, undefined);
  const before = system.pidOf(api);
  system.setClockShift(api, shiftMs);
  system.kill(api);
  const isNew = () => system.pidOf(api) !== before && system.isReady(api);
  if (await until(isNew, { timeoutMs: READY_WITHIN_MS })) clocks.set(api, shiftMs);
}
