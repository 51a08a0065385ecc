// The ports of the local stack: the defaults, other ones by environment, any free one for 0, and
// for each with PORTS=free. A chosen port is stored and used at every restart, because the
// registered addresses of partners contain it.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writePrivateJson } from '../private-files';
import { COMMANDS } from '../tools';
import type { Settings } from './settings';
import { StartError } from './start-error';

export const USUAL = {
  PORT: { usual: 8080, title: 'the API' },
  METRICS_PORT: { usual: 9464, title: 'the metrics of the API' },
  PROVIDER_PORT: { usual: 8090, title: 'the sandbox provider' },
  PARTNER_PORT: { usual: 8091, title: 'the sandbox partners' },
  TEMPORAL_PORT: { usual: 7233, title: 'Temporal' },
  TEMPORAL_UI_PORT: { usual: 8233, title: 'the Temporal UI' },
  POSTGRES_PORT: { usual: 5433, title: 'Postgres' },
  // The last one, so that a flexible choice takes no port of the others.
  WORKER_METRICS_PORT: { usual: 9465, title: 'the metrics of the worker' },
} as const;

type PortName = keyof typeof USUAL;
export type Ports = Readonly<Record<PortName, number>>;

const NAMES = Object.keys(USUAL) as readonly PortName[];
const storedSchema = z.partialRecord(z.enum(NAMES), z.number().int());

/** The ports that were stored in this folder; none before its first start. */
export function readStoredPorts(directory: string): Partial<Ports> {
  return storedSchema.safeParse(readJsonFile(portsFile(directory))).data ?? {};
}

/**
 * Chooses, checks and stores all ports, while no process of the stack is running.
 * @throws StartError that names every port in use and says what to do
 */
export async function choosePorts(settings: Settings, directory: string): Promise<Ports> {
  const stored = readStoredPorts(directory);
  const wanted = NAMES.map((name) => ({ name, ...wantedPort(name, settings, stored[name]) }));
  const isNeeded = (name: PortName) =>
    settings.TEMPORAL_ADDRESS === undefined || !name.startsWith('TEMPORAL_');
  const held: Server[] = [];
  const taken: Wanted[] = [];
  const chosen = new Map(NAMES.map((name) => [name, stored[name] ?? USUAL[name].usual]));
  try {
    // All are held open together, so that no two names get the same port.
    for (const one of wanted.filter(({ name }) => isNeeded(name))) {
      const server = await holdWanted(one);
      if (server === undefined) taken.push(one);
      else held.push(server);
      if (server !== undefined) chosen.set(one.name, portOf(server));
    }
  } finally {
    await closeAll(held);
  }
  if (taken.length > 0) throw new StartError(inUse(taken));
  const ports = Object.fromEntries(chosen) as Ports;
  writePrivateJson(portsFile(directory), ports);
  return ports;
}

function portsFile(directory: string): string {
  return join(directory, 'ports.json');
}

/** Free ports on the loopback address, all different. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const held = await Promise.all(Array.from({ length: count }, holdAny));
  const servers = held.filter((server) => server !== undefined);
  const ports = servers.map(portOf);
  await closeAll(servers);
  return ports;
}

interface Wanted {
  readonly name: PortName;
  /** 0 means any free one. */
  readonly port: number;
  /** Whether any free port serves when this one is in use, as after a request for 0. */
  readonly isFlexible: boolean;
}

function wantedPort(name: PortName, settings: Settings, stored: number | undefined) {
  const requested = requestedPort(name, settings);
  if (requested === 0) return { port: stored ?? 0, isFlexible: true };
  const chosen = requested ?? stored;
  // If another process uses the default port of the worker's metrics, any free port serves.
  const isFlexible = chosen === undefined && name === 'WORKER_METRICS_PORT';
  return { port: chosen ?? USUAL[name].usual, isFlexible };
}

/**
 * A start that sets METRICS_PORT usually runs beside others, and may not set WORKER_METRICS_PORT.
 * Then any free port is used: two starts at once would both find the default port free.
 */
function requestedPort(name: PortName, settings: Settings): number | undefined {
  const isImplied = name === 'WORKER_METRICS_PORT' && settings.METRICS_PORT !== undefined;
  return settings[name] ?? (isImplied || settings.PORTS === 'free' ? 0 : undefined);
}

async function holdWanted({ port, isFlexible }: Wanted): Promise<Server | undefined> {
  const server = port === 0 ? undefined : await hold(port);
  return server ?? (isFlexible ? holdAny() : undefined);
}

function inUse(taken: readonly Wanted[]): string {
  const list = taken.map(({ name, port }) => `${String(port)} (${name}, for ${USUAL[name].title})`);
  const which =
    taken.length === 1
      ? `Port ${list.join()} is in use by another program: stop that program, or choose another port with`
      : `Ports ${list.join(', ')} are in use by other programs: stop those, or choose other ports, such as`;
  const others = taken.map(({ name }) => `${name}=0`).join(' ');
  return `${which} \`${others} ${COMMANDS.start}\` (0 takes any free one).`;
}

/**
 * Below the ports that operating systems give to outgoing connections: such a connection must not
 * take a port between this check and the start of the part that listens on it.
 */
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

async function hold(port: number): Promise<Server | undefined> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  return once(server, 'listening').then(
    () => server,
    () => undefined,
  );
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
}
