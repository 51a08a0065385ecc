// One span for each request of the API. It continues the trace of a `traceparent` header.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import type { RequestLog } from '../../ports/observe';

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Health checks and the checkout page begin no trace. */
const TRACED_PATHS = '/v1/';

export const traceRequests =
  (tracer: Tracer) =>
  (handler: Handler): Handler =>
  (request, response) => {
    if (request.url?.startsWith(TRACED_PATHS) !== true) return handler(request, response);
    // Nothing but the ids: `tracestate` and `baggage` are free text, which would go on to others.
    const { traceparent } = request.headers;
    const parent = propagation.extract(ROOT_CONTEXT, { traceparent });
    const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, parent);
    response.once('close', () => span.end());
    return context.with(trace.setSpan(parent, span), () => handler(request, response));
  };

/** Names the span of the request by its route, never by its path, and adds what the line knows. */
export function traceRequestLog(requestLog: RequestLog): RequestLog {
  return {
    answered(line) {
      const { method, route, status, about } = line;
      const span = trace.getActiveSpan();
      span?.updateName(`${method} ${route}`);
      span?.setAttributes({
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        ...(about.partner_id !== undefined && { partner_id: about.partner_id }),
        ...(about.intent_id !== undefined && { intent_id: about.intent_id }),
      });
      if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
      requestLog.answered(line);
    },
  };
}
