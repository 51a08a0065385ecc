// What leaves this process about a span: its name, its times, and the attributes of this list.
// Instrumentation adds more, such as messages of errors, a memo and search attributes.
import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';

/** Our name of each attribute that is exported. */
const EXPORTED = new Map(
  Object.entries({
    intent_id: 'intent_id',
    // Names of Temporal's interceptors, for clients and activities, and for workflows.
    temporalWorkflowId: 'intent_id',
    workflowId: 'intent_id',
    partner_id: 'partner_id',
    attempt: 'attempt',
    'http.request.method': 'http.request.method',
    'http.route': 'http.route',
    'http.response.status_code': 'http.response.status_code',
  }),
);

/** In a span of a workflow, at its end. */
const OF_SEARCH_ATTRIBUTES = new Map(
  Object.entries({
    PartnerId: 'partner_id',
    Corridor: 'corridor',
    PaymentStatus: 'status',
  }),
);

export function exportingOnlyWhatIsListed(exporter: SpanExporter): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans.map(listed), done);
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}

function listed(span: ReadableSpan): ReadableSpan {
  const { name, kind, startTime, endTime, duration, ended, resource } = span;
  const { parentSpanId, instrumentationLibrary } = span;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    ...{ name, kind, startTime, endTime, duration, ended, resource, instrumentationLibrary },
    ...(parentSpanId !== undefined && { parentSpanId }),
    spanContext: () => ({ traceId, spanId, traceFlags }),
    // Without its message, which may quote anything.
    status: { code: span.status.code },
    attributes: attributesOf(span.attributes),
    ...{ events: [], links: [] },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  };
}

function attributesOf({ searchAttributes, ...others }: Attributes): Attributes {
  return { ...picked(searchAttributes, OF_SEARCH_ATTRIBUTES), ...picked(others, EXPORTED) };
}

/** A search attribute is a list of one value. */
function picked(from: unknown, names: ReadonlyMap<string, string>): Attributes {
  const found = Object.entries(from ?? {}).flatMap(([given, value]: [string, unknown]) => {
    const name = names.get(given);
    const one: unknown = Array.isArray(value) ? value[0] : value;
    const isShown = typeof one === 'string' || typeof one === 'number';
    return name === undefined || !isShown ? [] : [[name, one] as const];
  });
  return Object.fromEntries(found);
}
