// The ports of the local stack: the usual ones, others by environment, any free one for 0. A port once chosen is kept
// over every restart, because partners have it in their registered addresses.
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writePrivateJson } from './private-files';
import type { Settings } from './settings';
import { StartError } from './start-error';

const USUAL = {
  PORT: { usual: 8080, title: 'the API' },
  METRICS_PORT: { usual: 9464, title: 'the metrics of the API' },
  PROVIDER_PORT: { usual: 8090, title: 'the sandbox provider' },
  PARTNER_PORT: { usual: 8091, title: 'the sandbox partners' },
  TEMPORAL_PORT: { usual: 7233, title: 'Temporal' },
  TEMPORAL_UI_PORT: { usual: 8233, title: 'the Temporal UI' },
  POSTGRES_PORT: { usual: 5433, title: 'Postgres' },
  // The last one, since it leaves the others theirs.
  WORKER_METRICS_PORT: { usual: 9465, title: 'the metrics of the worker' },
} as const;

export type PortName = keyof typeof USUAL;
export type Ports = Readonly<Record<PortName, number>>;

const NAMES = Object.keys(USUAL) as readonly PortName[];
const TEMPORAL_NAMES: readonly PortName[] = ['TEMPORAL_PORT', 'TEMPORAL_UI_PORT'];
const keptSchema = z.partialRecord(z.enum(NAMES), z.number().int());

/** Those that were chosen in this folder: none before its first start, fewer after one of an earlier version. */
export function keptPorts(directory: string): Partial<Ports> {
  const parsed = keptSchema.safeParse(readJsonFile(portsFile(directory)));
  return parsed.success ? parsed.data : {};
}

/**
 * Chooses and checks all ports; nothing of ours may be running.
 * @throws StartError that names every port in use and what to do
 */
export async function choosePorts(settings: Settings, directory: string): Promise<Ports> {
  const kept = keptPorts(directory);
  const isOurTemporal = settings.TEMPORAL_ADDRESS === undefined;
  const needed = NAMES.filter((name) => isOurTemporal || !TEMPORAL_NAMES.includes(name));
  const wanted = new Map(needed.map((name) => [name, wantedPort(name, settings, kept[name])]));
  const free = await takeFree(wanted);
  const usual = Object.fromEntries(NAMES.map((name) => [name, USUAL[name].usual]));
  const chosen = { ...usual, ...kept, ...free } as Ports;
  writePrivateJson(portsFile(directory), chosen);
  return chosen;
}

function portsFile(directory: string): string {
  return join(directory, 'ports.json');
}

/** Free ones on the loopback, all different. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(Array.from({ length: count }, holdAny));
  const held = servers.filter((server) => server !== undefined);
  const ports = held.map(portOf);
  await Promise.all(held.map(closed));
  return ports;
}

interface Wanted {
  /** 0 means any free one. */
  readonly port: number;
  /** As asked for with 0: where it was before if that is still free, otherwise elsewhere. */
  readonly isFlexible: boolean;
}

function wantedPort(name: PortName, settings: Settings, kept: number | undefined): Wanted {
  const asked = askedPort(name, settings);
  if (asked !== undefined && asked > 0) return { port: asked, isFlexible: false };
  if (asked === 0) return { port: kept ?? 0, isFlexible: true };
  // A start that named or had kept all the other ports worked before there was this one, and must not fail for it now.
  const givesWay = name === 'WORKER_METRICS_PORT' && kept === undefined;
  return { port: kept ?? USUAL[name].usual, isFlexible: givesWay };
}

/**
 * Who says where the API's metrics are has several systems side by side, maybe without knowing of the worker's. Any free one then: two that
 * start at once would both find the usual one free.
 */
function askedPort(name: PortName, settings: Settings): number | undefined {
  const asked = settings[name];
  if (name !== 'WORKER_METRICS_PORT' || asked !== undefined) return asked;
  return settings.METRICS_PORT === undefined ? undefined : 0;
}

/** All are held open together, so that two of ours never get the same one. */
async function takeFree(
  wanted: ReadonlyMap<PortName, Wanted>,
): Promise<Partial<Record<PortName, number>>> {
  const held: Server[] = [];
  const chosen: Partial<Record<PortName, number>> = {};
  const taken: PortName[] = [];
  try {
    for (const [name, { port, isFlexible }] of wanted) {
      const server =
        (port === 0 ? undefined : await hold(port)) ?? (isFlexible ? await holdAny() : undefined);
      if (server === undefined) {
        taken.push(name);
        continue;
      }
      held.push(server);
      chosen[name] = portOf(server);
    }
  } finally {
    await Promise.all(held.map(closed));
  }
  if (taken.length > 0) throw new StartError(inUse(taken, wanted));
  return chosen;
}

function inUse(taken: readonly PortName[], wanted: ReadonlyMap<PortName, Wanted>): string {
  const list = taken.map(
    (name) => `${String(wanted.get(name)?.port)} (${name}, for ${USUAL[name].title})`,
  );
  const which =
    taken.length === 1
      ? `Port ${list.join()} is in use by another program: stop that program, or choose another port with`
      : `Ports ${list.join(', ')} are in use by other programs: stop those, or choose other ports, such as`;
  const others = taken.map((name) => `${name}=0`).join(' ');
  return `${which} \`${others} npm start\` (0 takes any free one).`;
}

/** Below those that systems give to connections that are made: between our look and the part that listens nobody gets one of these. */
const ANY_FROM = 20_000;
const ANY_BELOW = 32_768;
const TRIES = 20;

async function holdAny(): Promise<Server | undefined> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const server = await hold(randomInt(ANY_FROM, ANY_BELOW));
    if (server !== undefined) return server;
  }
  return hold(0);
}

function hold(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      resolve(server);
    });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return address.port;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}
