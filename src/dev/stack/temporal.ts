// The Temporal dev server as a part of the local stack.
import { Client, credentials } from '@grpc/grpc-js';
import { SEARCH_ATTRIBUTES } from '../../temporal/search-attributes';
import type { Part } from './supervisor';

interface TemporalServer {
  readonly cli: string;
  readonly port: number;
  /** No web UI without it. */
  readonly uiPort?: number;
  /** The file in which workflows survive a restart; without it they are in memory. */
  readonly databaseFile?: string;
  readonly cwd: string;
}

/**
 * By default the dev server polls the queues of its only shard 20 times a second, which adds about
 * 49 ms to every step. With these settings three bare activities take 79 ms instead of 199.
 */
const DYNAMIC_CONFIG = [
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  'history.visibilityProcessorMaxPollRPS=500',
  'system.enableActivityEagerExecution=true',
];

/**
 * Registered only when the namespace is created, so a database file of an older version keeps its
 * own attributes.
 */
const ATTRIBUTE_FLAGS = SEARCH_ATTRIBUTES.flatMap(({ name, type }) => [
  '--search-attribute',
  `${name}=${type.charAt(0)}${type.slice(1).toLowerCase()}`,
]);

export const TEMPORAL_NAMESPACE = 'default';

export function temporalAddress({ port }: TemporalServer): string {
  return `127.0.0.1:${String(port)}`;
}

export function temporalPart(server: TemporalServer): Part {
  return {
    name: 'temporal',
    prepare: () =>
      Promise.resolve({
        program: server.cli,
        args: serverArguments(server),
        env: environment(server),
        cwd: server.cwd,
      }),
    isReady: () => isServing(temporalAddress(server)),
  };
}

function serverArguments({ port, uiPort, databaseFile }: TemporalServer): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...(databaseFile === undefined ? [] : ['--db-filename', databaseFile]),
    ...['--namespace', TEMPORAL_NAMESPACE, '--log-level', 'warn', '--log-format', 'json'],
    ...ATTRIBUTE_FLAGS,
    ...DYNAMIC_CONFIG.flatMap((setting) => ['--dynamic-config-value', setting]),
  ];
}

/**
 * The user's environment and configuration file are not passed on: TEMPORAL_* settings would change
 * the server.
 */
function environment({ cwd }: TemporalServer): Record<string, string> {
  return { PATH: '/usr/bin:/bin', HOME: cwd, TZ: 'UTC' };
}

const SERVICE = Buffer.from('temporal.api.workflowservice.v1.WorkflowService');
/** HealthCheckRequest { service }: field 1, as text. */
const REQUEST = Buffer.concat([Buffer.from([0x0a, SERVICE.length]), SERVICE]);
/** HealthCheckResponse { status: SERVING }: field 1, varint 1. */
const SERVING = Buffer.from([0x08, 0x01]);
const ANSWER_TIMEOUT_MS = 1_000;

/** Whether the frontend serves, by gRPC's standard health check. */
function isServing(address: string): Promise<boolean> {
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.enable_http_proxy': 0,
  });
  const asIs = (bytes: Buffer) => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      ...([asIs, asIs, REQUEST, { deadline: Date.now() + ANSWER_TIMEOUT_MS }] as const),
      (error, answer) => {
        client.close();
        resolve(error === null && answer?.equals(SERVING) === true);
      },
    );
  });
}
