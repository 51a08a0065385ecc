// Without an endpoint, tracing costs nothing: no package of it is loaded (decision 140).
import { createOutbound } from '../../src/http/outbound';
import { openTracing } from '../../src/main/start-tracing';
import { runToEnd, type ProgramSettings } from '../support/programs/run-to-end';
import { SILENT } from '../support/silent-log';

async function loadedPackages(settings: ProgramSettings): Promise<readonly string[]> {
  const { stdout } = await runToEnd('test/tracing/loaded-packages.ts', [], settings);
  return JSON.parse(stdout) as readonly string[];
}

const isOfTracing = (name: string) => /^@opentelemetry\/(?!api$)|interceptors-/.test(name);

it('API and worker load no package of tracing without an endpoint', async () => {
  const loaded = await loadedPackages({});
  expect(loaded).toEqual(expect.arrayContaining(['startApi', 'startWorker', 'koa', 'pg']));
  expect(loaded.filter(isOfTracing)).toEqual([]);
});

it('with an endpoint they do', async () => {
  const loaded = await loadedPackages({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  expect(loaded.filter(isOfTracing)).toEqual(
    expect.arrayContaining(['@opentelemetry/sdk-trace-base']),
  );
});

it('without an endpoint, requests and calls go through no code of tracing', async () => {
  const { requests, outbound, worker, client } = openTracing('api', {}, SILENT);
  const handler = () => undefined;
  const calls = createOutbound();
  expect(requests(handler)).toBe(handler);
  expect(outbound('provider', calls)).toBe(calls);
  expect([worker.interceptors, client]).toEqual([{}, {}]);
  await calls.close();
});
