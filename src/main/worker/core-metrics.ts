// The metrics of Temporal's Core, the native part of the SDK. It serves them itself, on a free port
// of the loopback; the worker adds them to its own.
import { createServer } from 'node:net';
import type { TelemetryOptions } from '@temporalio/worker';
import { HISTORY_METRIC } from '../../../workflows/messages/messages';
import { listen } from '../listen';

const LOOPBACK = '127.0.0.1';
const ANSWERS_WITHIN_MS = 2_000;

export interface CoreMetrics {
  /** For `Runtime.install`. */
  readonly telemetry: NonNullable<TelemetryOptions['metrics']>;
  /** In the text format of Prometheus; empty if Core does not answer. */
  readonly expose: () => Promise<string>;
}

export async function createCoreMetrics(): Promise<CoreMetrics> {
  const address = `${LOOPBACK}:${String(await freePort())}`;
  return {
    telemetry: {
      prometheus: {
        bindAddress: address,
        useSecondsForDurations: true,
        histogramBucketOverrides: { [HISTORY_METRIC]: [16, 64, 256, 1_024, 4_096, 16_384, 50_000] },
      },
    },
    async expose() {
      try {
        const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
        return await (await fetch(`http://${address}/metrics`, { signal })).text();
      } catch {
        return '';
      }
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, 0, LOOPBACK);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
