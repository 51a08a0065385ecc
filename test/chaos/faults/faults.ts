// Injects each kind of scheduled fault and removes it again.
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../../src/dev/until';
import type { Database } from '../../../src/postgres/database';
import { allowPayouts, createPayoutStops } from '../../../src/postgres/payouts/stops';
import { armTrap } from './failpoints';
import { startForeignWorker } from './foreign-worker';
import { freezeProcesses } from './frozen';
import { BUILDS, makeCurrent } from './versions';
import { APIS, LINKED, PARTNERS, SERVERS, type Link } from './links';
import { harmDisk, migrateTable, stallCommits } from './postgres-faults';
import { putSnapshotBack } from './put-back';
import type { ScheduledFault } from './schedule';
import { isDone, READY_WITHIN_MS, type FaultTools, type Injector } from './injector';
import type { System } from '../system';

/** Finds the injector by the whole kind or by its first word, such as `cut`. */
export function injectorOf(kind: string): Injector {
  const [how = ''] = kind.split(' ');
  const inject = INJECTORS[kind] ?? INJECTORS[how];
  if (inject === undefined) throw new Error(`unknown kind of fault: ${kind}`);
  return inject;
}

const OPERATIONS = { actor: 'chaos', reason: 'a fault of the schedule', kind: 'operator' as const };

/**
 * Lifts the stops of operators. Stops of the restore watch stay, because the harness did not make
 * them.
 */
export async function allowAgain(database: Database): Promise<void> {
  const allow = () => isDone(allowPayouts(database, { ...OPERATIONS, isAfterRestore: false }));
  await until(allow, { timeoutMs: READY_WITHIN_MS });
}

const freeze: Injector = async ({ targets, lastsMs }, { system, slowCommits }) => {
  const pids = targets.map((target) => system.pidOf(target)).filter((pid) => pid !== undefined);
  await slowCommits.during(async () => {
    const thaw = await freezeProcesses(pids);
    await pause(lastsMs);
    thaw();
  });
  return pids.length;
};

const INJECTORS: Readonly<Record<string, Injector>> = {
  kill: ({ targets }, { system }) => {
    for (const target of targets) system.kill(target);
    return Promise.resolve(targets.length);
  },
  failpoint: async ({ targets, detail, lastsMs }, { system }) => {
    const traps = targets.map((target) => armTrap(system.directory, target, detail));
    await until(() => traps.every((trap) => trap.hasFired()), { timeoutMs: lastsMs });
    const injected = traps.filter((trap) => trap.hasFired()).length;
    for (const trap of traps) trap.disarm();
    return injected;
  },
  cut: onLinks((link) => link.cut()),
  mute: onLinks((link) => link.mute()),
  stall: onLinks((link) => link.stall()),
  gateway: onLinks((link) => link.intercept(GATEWAY_404)),
  continue: onLinks((link) => link.prefixResponses(CONTINUE)),
  slow: onLinks((link, delayMs) => link.slow(delayMs)),
  freeze,
  disk: harmDisk,
  'commits stalled': stallCommits,
  migration: migrateTable,
  'snapshot put back': putSnapshotBack,
  'clock skew': (fault, tools) => oneAfterAnother(() => skewClock(fault, tools)),
  'worker versions': async ({ detail, lastsMs }, { client }) => {
    const build = Object.values(BUILDS).find((known) => known === detail);
    return build !== undefined && makeCurrent(client, build, lastsMs);
  },
  'webhooks disabled': async ({ targets, lastsMs }, { system, endpoints }) => {
    const partnerId = partnerOf(targets, system);
    const isDisabled = await isDone(endpoints.disable(partnerId));
    await pause(lastsMs);
    const enable = () => isDone(endpoints.enable(partnerId));
    await until(enable, { timeoutMs: READY_WITHIN_MS });
    await isDone(endpoints.replayUnsent());
    return isDisabled;
  },
  'payouts stopped': async ({ lastsMs }, { database }) => {
    const areStopped = await isDone(createPayoutStops(database).stop(OPERATIONS));
    await pause(lastsMs);
    await allowAgain(database);
    return areStopped;
  },
  'webhook secret rotated': ({ targets }, { system, endpoints }) =>
    isDone(endpoints.rotate(partnerOf(targets, system))),
  'workflows terminated': (_fault, tools) => terminateSome(tools),
  'foreign worker': startForeignWorker,
  'missing workflows': freeze,
};

/** The answer of a gateway that has lost its route to the provider. It names no payout key. */
const GATEWAY_404 = [
  'HTTP/1.1 404 Not Found',
  ...['content-type: text/html', 'content-length: 22', 'connection: close'],
  ...['', '<h1>404 Not Found</h1>'],
].join('\r\n');

/** Some gateways say this first, although no request asks for it. */
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

/** @param harm gets the detail as a number, for kinds that have one */
function onLinks(harm: (link: Link, detail: number) => void): Injector {
  return async ({ kind, targets, detail, lastsMs }, { system }) => {
    const server = SERVERS.find((name) => kind.endsWith(`-${name}`));
    const injected = LINKED.filter((name) => targets.includes(name));
    if (server === undefined || injected.length === 0) throw new Error(`${kind} names no link`);
    const links = injected.map((name) => system.links.link(name, server));
    for (const link of links) harm(link, Number(detail));
    await pause(lastsMs);
    for (const link of links) link.mend();
    return links.length;
  };
}

function partnerOf(targets: readonly string[], { partners }: System): string {
  const partner = partners[PARTNERS.findIndex((name) => targets.includes(name))];
  if (partner === undefined) throw new Error(`${targets.join()} names no partner`);
  return partner.partner_id;
}

let lastSkew: Promise<unknown> = Promise.resolve();

/**
 * Corrects a wrong clock before the next one becomes wrong, even if Postgres was away when the
 * first was due.
 */
function oneAfterAnother<Result>(work: () => Promise<Result>): Promise<Result> {
  const done = lastSkew.then(work);
  lastSkew = done.catch(() => undefined);
  return done;
}

async function skewClock({ targets, detail, lastsMs }: ScheduledFault, tools: FaultTools) {
  const [api] = targets;
  const name = APIS.find((known) => known === api);
  if (name === undefined) return false;
  await setClock(name, Number(detail), tools);
  await pause(lastsMs);
  await setClock(name, 0, tools);
  return true;
}

/** Restarts the API with that clock. Until the new process is up, answers may use either clock. */
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

const TERMINATED_AT_ONCE = 3;

/**
 * Terminates workflows of open payments or pending webhooks: that costs time, but no money
 * (architecture, section 3).
 */
async function terminateSome({ client, database }: FaultTools): Promise<number> {
  const { rows } = await database
    .query<{ intent_id: string }>({
      text: `select i.intent_id from payment_intents i
              where i.status in ('created', 'authorized')
                 or exists (select from webhook_events v
                             where v.intent_id = i.intent_id and v.state = 'pending')
              order by random() limit $1`,
      values: [TERMINATED_AT_ONCE],
    })
    .catch(() => ({ rows: [] }));
  const terminated = await Promise.all(
    rows.map(({ intent_id: id }) => isDone(client.workflow.getHandle(id).terminate('chaos'))),
  );
  return terminated.filter(Boolean).length;
}
