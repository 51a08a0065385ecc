// Spans of a workflow, by Temporal's own interceptors. What was started with the context of a trace
// is traced, and nothing else: so the history alone decides what runs, and a history replays on
// every worker, whether that worker sends spans or not (decision 140).
import type * as openTelemetry from '@opentelemetry/api';
import type * as temporalInterceptors from '@temporalio/interceptors-opentelemetry/lib/workflow';
import type { WorkflowInterceptors } from '@temporalio/workflow';

/** The header in which Temporal's interceptors pass the context on. */
const TRACE_HEADER = '_tracer-data';

interface WithHeaders {
  readonly headers: object;
}

export const interceptors = (): WorkflowInterceptors => {
  let loaded: ReturnType<typeof load> | undefined;
  const isTraced = ({ headers }: WithHeaders) => TRACE_HEADER in headers;
  const inbound = () => (loaded ??= load()).inbound;
  /** Undefined outside of spans, where the interceptor would begin a trace of its own. */
  const outbound = () => (loaded?.isInSpan() === true ? loaded.outbound : undefined);
  return {
    inbound: [
      {
        execute: (input, next) => (isTraced(input) ? inbound().execute(input, next) : next(input)),
        handleSignal: (input, next) =>
          isTraced(input) ? inbound().handleSignal(input, next) : next(input),
        handleUpdate: (input, next) =>
          isTraced(input) ? inbound().handleUpdate(input, next) : next(input),
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => outbound()?.scheduleActivity(input, next) ?? next(input),
        scheduleLocalActivity: (input, next) =>
          outbound()?.scheduleLocalActivity(input, next) ?? next(input),
      },
    ],
    internals: [
      {
        dispose(input, next) {
          if (loaded === undefined) next(input);
          else void loaded.internals.dispose(input, next);
        },
      },
    ],
  };
};

/** Evaluated for each traced workflow, which takes milliseconds; other workflows do without. */
function load() {
  /* eslint-disable @typescript-eslint/no-require-imports -- an import would be evaluated always */
  const { trace } = require('@opentelemetry/api') as typeof openTelemetry;
  const temporal =
    require('@temporalio/interceptors-opentelemetry/lib/workflow') as typeof temporalInterceptors;
  /* eslint-enable @typescript-eslint/no-require-imports */
  return {
    isInSpan: () => trace.getActiveSpan() !== undefined,
    inbound: new temporal.OpenTelemetryInboundInterceptor(),
    outbound: new temporal.OpenTelemetryOutboundInterceptor(),
    internals: new temporal.OpenTelemetryInternalsInterceptor(),
  };
}
