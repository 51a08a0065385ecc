// What instrumentation adds to a span beyond our list does not leave the process.
import { SpanStatusCode } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { exportingOnlyWhatIsListed } from '../../src/observe/tracing/exported-spans';

it('exports listed attributes alone, and no message of an error', () => {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exportingOnlyWhatIsListed(exporter))];
  const span = new BasicTracerProvider({ spanProcessors }).getTracer('test').startSpan('a span');
  span.setAttributes({ temporalWorkflowId: 'pi_1', attempt: 2, run_id: 'a run', memo: 'a memo' });
  span.recordException(new Error('secret'));
  span.addEvent('secret');
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'secret' });
  span.end();
  const [exported] = exporter.getFinishedSpans();
  expect(exported).toMatchObject({
    name: 'a span',
    attributes: { intent_id: 'pi_1', attempt: 2 },
    status: { code: SpanStatusCode.ERROR },
    events: [],
  });
  expect(Object.keys(exported?.attributes ?? {})).toEqual(['intent_id', 'attempt']);
  expect(JSON.stringify(exported)).not.toContain('secret');
});

it('names what a workflow shows of itself by our words', () => {
  const exporter = new InMemorySpanExporter();
  const listed = exportingOnlyWhatIsListed(exporter);
  const span = new BasicTracerProvider().getTracer('test').startSpan('a workflow');
  const searchAttributes = { PartnerId: ['siam'], Corridor: ['th_qrpay'], NeedsAttention: [true] };
  const attributes = { workflowId: 'pi_1', searchAttributes, memo: { created_at_ms: 1 } };
  listed.export([Object.assign(span, { attributes }) as never], () => undefined);
  expect(exporter.getFinishedSpans()[0]?.attributes).toEqual({
    ...{ partner_id: 'siam', corridor: 'th_qrpay' },
    intent_id: 'pi_1',
  });
});
