// Traces are off unless an endpoint is set. Then nothing of OpenTelemetry's SDK is loaded.
import type { ApiConfig, WorkerConfig } from '../config/config';
import type { Log } from '../ports/observe';
import type * as tracing from '../observe/tracing/tracing';
import { VERSION } from '../observe/version';

type TracingConfig = Pick<
  ApiConfig | WorkerConfig,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
>;

export type Tracing = ReturnType<typeof tracing.startTracing>;

const OFF: Tracing = {
  requests: (handler) => handler,
  requestLog: (requestLog) => requestLog,
  outbound: (_peer, outbound) => outbound,
  client: {},
  worker: {
    interceptors: {},
    // For workflows that were started with tracing on: the SDK logs an error where there is none.
    sinks: { exporter: { export: { fn: () => undefined } } },
  },
  stop: () => Promise.resolve(),
};

export function openTracing(name: string, config: TracingConfig, log: Log): Tracing {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: every, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ours } = config;
  if (every === undefined && ours === undefined) return OFF;
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- loaded only when it is used
  const { startTracing } = require('../observe/tracing/tracing') as typeof tracing;
  return startTracing({ service: `payment-intents-${name}`, version: VERSION, log });
}
