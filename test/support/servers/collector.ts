// An OpenTelemetry collector in this process: takes OTLP over HTTP in JSON and keeps the spans.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../../src/main/listen';

interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Readonly<Record<string, string | number>>;
}

export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  /** In the order of their arrival. */
  readonly spans: readonly CollectedSpan[];
  /** All that was sent. */
  readonly sent: readonly string[];
  close(): void;
}

export async function startCollector(): Promise<Collector> {
  const [spans, sent]: [CollectedSpan[], string[]] = [[], []];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/v1/traces') {
        sent.push(body);
        spans.push(...spansOf(JSON.parse(body) as Export));
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const port = await listen(server, 0, '127.0.0.1');
  return {
    url: `http://127.0.0.1:${String(port)}`,
    spans,
    sent,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Attributes = readonly {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}[];

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'attributes' | 'service'> & {
        readonly attributes: Attributes;
      })[];
    }[];
  }[];
}

function spansOf({ resourceSpans }: Export): readonly CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ name, traceId, spanId, parentSpanId, attributes }) => {
        return { service, name, traceId, spanId, parentSpanId, attributes: valuesOf(attributes) };
      });
  });
}

function valuesOf(attributes: Attributes): CollectedSpan['attributes'] {
  const pairs = attributes.map(({ key, value: { stringValue, intValue } }) => [
    key,
    stringValue ?? intValue ?? 'neither a text nor a whole number',
  ]);
  return Object.fromEntries(pairs) as CollectedSpan['attributes'];
}
