// Temporal's own interceptors, for work that belongs to a sampled trace alone: without these
// conditions they would begin a trace for each poll, tick and description.
import { trace } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client';
import { TRACE_HEADER } from '@temporalio/interceptors-opentelemetry/lib/instrumentation';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
} from '@temporalio/interceptors-opentelemetry/lib/worker';
import type { ActivityInterceptorsFactory, WorkerOptions } from '@temporalio/worker';

type TracedOptions = Required<Pick<WorkerOptions, 'interceptors' | 'sinks'>>;

/** Passes the context to workflows that a traced request starts or sends an update to. */
export function traceClient(): WorkflowClientInterceptor {
  const traced = new OpenTelemetryWorkflowClientInterceptor();
  const isSampled = () => trace.getActiveSpan()?.isRecording() === true;
  return {
    startWithDetails: (input, next) =>
      isSampled() ? traced.startWithDetails(input, next) : next(input),
    startUpdate: (input, next) => (isSampled() ? traced.startUpdate(input, next) : next(input)),
    signalWithStart: (input, next) =>
      isSampled() ? traced.signalWithStart(input, next) : next(input),
  };
}

/** Activities, and the spans that workflows/messages/tracing.ts makes. */
export function traceWorker(processor: SpanProcessor, resource: Resource): TracedOptions {
  return {
    interceptors: { activity: [traceActivity] },
    sinks: { exporter: makeWorkflowExporter(processor, resource) },
  };
}

const traceActivity: ActivityInterceptorsFactory = (activity) => {
  const traced = new OpenTelemetryActivityInboundInterceptor(activity);
  return {
    inbound: {
      execute(input, next) {
        if (!(TRACE_HEADER in input.headers)) return next(input);
        return traced.execute(input, (given) => {
          trace.getActiveSpan()?.setAttribute('attempt', activity.info.attempt);
          return next(given);
        });
      },
    },
  };
};
