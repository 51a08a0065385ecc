// A program for off.test.ts: loads API and worker as their processes do, opens tracing with the
// settings of this process, and prints the packages that were loaded.
import { processEnvironment, type ApiConfig } from '../../src/config/config';
import { startApi } from '../../src/main/api';
import { openTracing } from '../../src/main/start-tracing';
import { startWorker } from '../../src/main/worker';
import { SILENT } from '../support/silent-log';

const { OTEL_EXPORTER_OTLP_ENDPOINT } = processEnvironment();
const config = { OTEL_EXPORTER_OTLP_ENDPOINT } as ApiConfig;
const { stop } = openTracing('api', config, SILENT);

const packages = Object.keys(require.cache).map(
  (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(file)?.[1],
);
const loaded = [startApi, startWorker].map(({ name }) => name);
process.stdout.write(JSON.stringify([...loaded, ...new Set(packages)]));
void stop();
