// Port metrics over prom-client: what operations watch the API by.
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

const LATENCY_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'HTTP requests by route, method and status',
    labelNames: ['route', 'method', 'status'],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'credentials_refused_total',
    help: 'Requests refused for their credentials, by the cause that callers are never told',
    labelNames: ['kind', 'reason'],
    registers: [registry],
  });
  const keySets = new Counter({
    name: 'key_set_lookups_total',
    help: 'Keys found in a remembered key set (hit), and fetches of key sets by how they ended',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return {
    requestAnswered(route: string, method: string, status: number, seconds: number): void {
      requests.observe({ route, method, status }, seconds);
    },
    credentialsRefused(kind: string, reason: string): void {
      refusals.inc({ kind, reason });
    },
    keySetAsked(outcome: string): void {
      keySets.inc({ outcome });
    },
    /** The text that Prometheus reads. */
    expose: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
