// A span for each outward call of traced work, and its context in the call's `traceparent` header.
import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import type { Outbound } from '../../http/outbound';

/** @param peer names the called party in the span, such as `provider` */
export const traceOutbound =
  (tracer: Tracer) =>
  (peer: string, outbound: Outbound): Outbound => ({
    ...outbound,
    send(request) {
      if (trace.getActiveSpan() === undefined) return outbound.send(request);
      const { method } = request;
      const options = { kind: SpanKind.CLIENT, attributes: { 'http.request.method': method } };
      return tracer.startActiveSpan(`${method} ${peer}`, options, async (span) => {
        const headers = { ...request.headers };
        propagation.inject(context.active(), headers);
        try {
          const reply = await outbound.send({ ...request, headers });
          span.setAttribute('http.response.status_code', reply.status);
          return reply;
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
  });
