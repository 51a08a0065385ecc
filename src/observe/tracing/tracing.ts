// Traces by OpenTelemetry (decision 140). Loaded only where an endpoint is set. The SDK reads the
// variables OTEL_… itself; src/config/shared.ts lists those that we promise.
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { envDetectorSync, Resource } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Log } from '../../ports/observe';
import { exportingOnlyWhatIsListed } from './exported-spans';
import { traceOutbound } from './outbound';
import { traceRequestLog, traceRequests } from './requests';
import { traceClient, traceWorker } from './temporal';

interface TracingOptions {
  /** `service.name`, unless OTEL_SERVICE_NAME is set. */
  readonly service: string;
  readonly version: string;
  readonly log: Pick<Log, 'warn'>;
}

/** A stopping process waits no longer than this for its last spans to be sent. */
const FLUSH_WITHIN_MS = 1_000;

/**
 * The context of a trace is kept for the whole process, so call it once. A collector that does not
 * answer costs spans and nothing else: at most 2048 wait, and they are sent beside the work.
 */
export function startTracing({ service, version, log }: TracingOptions) {
  warnRarely(log);
  const processor = new BatchSpanProcessor(exportingOnlyWhatIsListed(new OTLPTraceExporter()));
  const resource = new Resource({
    ...Resource.default().attributes,
    ...{ 'service.name': service, 'service.version': version },
    ...envDetectorSync.detect().attributes,
  });
  const provider = new BasicTracerProvider({
    resource,
    spanProcessors: [processor],
  });
  provider.register({
    contextManager: new AsyncLocalStorageContextManager(),
    propagator: new W3CTraceContextPropagator(),
  });
  const tracer = provider.getTracer(service);
  return {
    requests: traceRequests(tracer),
    requestLog: traceRequestLog,
    outbound: traceOutbound(tracer),
    client: traceClient(),
    worker: traceWorker(processor, resource),
    /** Sends what waits. Never fails. */
    async stop(): Promise<void> {
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_WITHIN_MS).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), timeout]);
    },
  };
}

const WARN_AGAIN_AFTER_MS = 600_000;

/** The SDK reports each batch that it could not send; one line in ten minutes says enough. */
function warnRarely(log: Pick<Log, 'warn'>): void {
  let isQuiet = false;
  setGlobalErrorHandler((error) => {
    if (isQuiet) return;
    isQuiet = true;
    setTimeout(() => {
      isQuiet = false;
    }, WARN_AGAIN_AFTER_MS).unref();
    log.warn({ err: error }, 'traces are lost: the collector does not accept them');
  });
}
