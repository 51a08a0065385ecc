// Traces by OpenTelemetry (decision 140): one payment through the real programs, with encrypted
// payloads, and the collector that gets its spans or gives no answer.
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { readTemporalConfig } from '../../src/config/config';
import { mintSandboxToken } from '../../src/dev/demo/sandbox-partner';
import { until } from '../../src/dev/until';
import { listen } from '../../src/main/listen';
import { openTracing } from '../../src/main/start-tracing';
import type { OnboardedPartner } from '../../src/ops/partners/create';
import { verifyWebhook } from '../../src/sdk';
import { parseIntent } from '../../src/sdk/intent';
import { connectTemporal } from '../../src/temporal/connection';
import { dataConverterOf } from '../../src/temporal/payload-codec';
import { openSecureCaller } from '../support/http/secure-caller';
import { aSessionKey } from '../support/payments/partner';
import { aThaiCode } from '../support/payments/qr-codes';
import { openProdWorld, type ProdWorld, type Serving } from '../support/prod-world';
import type { ProgramSettings } from '../support/programs/run-to-end';
import { bundledWorkflows, replayHistory } from '../support/programs/workflow-bundle';
import { SILENT } from '../support/silent-log';
import { startCollector, type Collector } from '../support/servers/collector';
import { createCountedServers } from '../support/servers/counted-servers';
import { quietTemporal } from '../support/servers/quiet-temporal';
import { temporalAddress } from '../support/servers/temporal-address';
import { answers, startReceiver, type Receiver } from '../support/webhooks/webhook-receiver';

const SOON = { timeoutMs: 60_000, everyMs: 100 };
const FUNDS = ['--amount-usd-cents', '100000000', '--key', 'wire-0001'];
const PAYER = 'user-4711';
const [OF_CREATE, OF_CONFIRM] = ['a'.repeat(32), 'b'.repeat(32)];
const CALLER = 'c'.repeat(16);
const traceparent = (traceId: string) => `00-${traceId}-${CALLER}-01`;
const PAYLOAD_KEYS = `test-1:${randomBytes(32).toString('base64')}`;

const secure = openSecureCaller();
const session = aSessionKey('siam-travel-1');
const servers = createCountedServers();
let keySets: Server;
let collector: Collector;
let receiver: Receiver;
let world: ProdWorld;
let partner: OnboardedPartner;

beforeAll(async () => {
  quietTemporal();
  keySets = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: [session.jwk] }));
  });
  const keySetUrl = `http://127.0.0.1:${String(await listen(keySets, 0, '127.0.0.1'))}/jwks.json`;
  collector = await startCollector();
  receiver = await startReceiver(answers(200));
  // A sandbox, so that the test may serve key set and endpoint on the loopback.
  world = await openProdWorld({
    SERVICE_ENV: 'sandbox',
    PARTNER_NETWORKS: '127.0.0.1/32',
    TEMPORAL_PAYLOAD_KEYS: PAYLOAD_KEYS,
  });
  await Promise.all([world.run('migrate'), world.run('prepare-temporal'), world.build()]);
  await world.grantRoles();
  await world.payctlJson('accounts', 'fund', ...FUNDS);
  partner = await world.payctlJson<OnboardedPartner>(
    ...['partners', 'create', '--name', 'siam-travel', '--allow', '127.0.0.1'],
    ...['--jwks-url', keySetUrl, '--env', 'sandbox', '--webhook-url', receiver.url],
  );
});

afterAll(async () => {
  await world.close();
  await secure.close();
  for (const server of [keySets, collector, receiver]) server.close();
  servers.closeAll();
});

const serving = (settings: ProgramSettings) =>
  Promise.all([world.serve('api', settings), world.serve('worker', settings)]);

/** One payment, captured, with its webhook delivered. */
async function pay(api: Serving) {
  const delivered = receiver.received.length;
  const created = await secure.create(api.address, partner, 1_250, {
    traceparent: traceparent(OF_CREATE),
    tracestate: 'free=text-of-the-partner',
  });
  const intent = parseIntent(await created.json());
  const key = String(session.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const token = await mintSandboxToken(
    {
      ...{
        ...partner,
        signing_secret: '',
        webhook_secret: '',
        webhook_inbox_url: '',
        session_kid: session.kid,
      },
      session_private_key_pem: key,
    },
    PAYER,
    intent,
  );
  const confirmed = await secure.fetch(
    `${api.address}/v1/payment_intents/${intent.intentId}/confirm`,
    {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        traceparent: traceparent(OF_CONFIRM),
      },
      body: JSON.stringify({ qr_payload: aThaiCode() }),
    },
  );
  expect(await confirmed.json()).toMatchObject({ status: 'captured' });
  await until(() => receiver.received.length > delivered, SOON);
  expect(receiver.received).toHaveLength(delivered + 1);
  return { intent, token };
}

describe('with a collector', () => {
  let intentId: string;
  let token: string;
  const spansOf = (trace: string) => collector.spans.filter(({ traceId }) => traceId === trace);
  const spanOf = (trace: string, named: string) =>
    spansOf(trace).find(({ name }) => name === named);

  beforeAll(async () => {
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
    };
    const [api, worker] = await serving(settings);
    const paid = await pay(api);
    [intentId, token] = [paid.intent.intentId, paid.token];
    await until(() => spanOf(OF_CREATE, 'RunWorkflow:paymentIntent') !== undefined, SOON);
    // The rest is sent when they stop.
    await Promise.all([api.interrupt(), worker.interrupt()]);
  });

  it('the trace of the create leads to the provider and to the webhook', () => {
    expect([...new Set(spansOf(OF_CREATE).map(({ name }) => name))].sort()).toEqual([
      'POST /v1/payment_intents',
      'POST provider',
      'POST webhook',
      'RunActivity:deliverWebhook',
      'RunActivity:payOutAtOnce',
      'RunActivity:recordTransition',
      'RunWorkflow:paymentIntent',
      'StartActivity:deliverWebhook',
      'StartActivity:payOutAtOnce',
      'StartActivity:recordTransition',
      'StartWorkflow:paymentIntent',
    ]);
    const ids = spansOf(OF_CREATE).map(({ spanId }) => spanId);
    const roots = spansOf(OF_CREATE).filter(
      ({ parentSpanId }) => !ids.includes(parentSpanId ?? ''),
    );
    expect(roots).toMatchObject([
      { name: 'POST /v1/payment_intents', parentSpanId: CALLER, service: 'payment-intents-api' },
    ]);
  });

  it('the trace of the confirm leads to the update of the workflow', () => {
    expect(
      spansOf(OF_CONFIRM)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([
      'HandleUpdate:confirm',
      'POST /v1/payment_intents/:intent_id/confirm',
      'StartWorkflowUpdate:confirm',
    ]);
  });

  it('no other work begins a trace', () => {
    const others = collector.spans.filter(
      ({ traceId }) => ![OF_CREATE, OF_CONFIRM].includes(traceId),
    );
    expect(others).toEqual([]);
  });

  it('provider and partner get the ids of their span, and no tracestate', () => {
    const calls = [...world.provider.headers, ...receiver.received.map(({ headers }) => headers)];
    const sent = ['POST provider', 'POST webhook'].map((name) => {
      return `00-${OF_CREATE}-${spanOf(OF_CREATE, name)?.spanId ?? 'none'}-01`;
    });
    expect(calls.map((headers) => headers['traceparent'])).toEqual(sent);
    expect(calls.filter((headers) => 'tracestate' in headers)).toEqual([]);
  });

  it('the signature of the webhook is that of its id, time and body', () => {
    const [delivery] = receiver.received;
    if (delivery === undefined) throw new Error('nothing was delivered');
    const secrets = [String(partner.webhook_secret)];
    const { body, headers } = delivery;
    expect(() => verifyWebhook(body, headers, secrets)).not.toThrow();
  });

  it('spans hold listed attributes alone', () => {
    const names = new Set(collector.spans.flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...names].sort()).toEqual([
      ...['attempt', 'corridor', 'http.request.method', 'http.response.status_code', 'http.route'],
      ...['intent_id', 'partner_id', 'status'],
    ]);
    expect(spanOf(OF_CREATE, 'RunWorkflow:paymentIntent')?.attributes).toMatchObject({
      intent_id: intentId,
      partner_id: partner.partner_id,
      corridor: 'th_qrpay',
    });
    const all = collector.sent.join('\n');
    const secrets = [
      token,
      aThaiCode(),
      PAYER,
      partner.signing_secret ?? '',
      partner.key_id,
      'free=',
    ];
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
  });

  it('a worker without tracing replays its history', async () => {
    const { temporal } = readTemporalConfig({
      DATABASE_URL: world.databaseUrl,
      TEMPORAL_ADDRESS: temporalAddress(),
      TEMPORAL_NAMESPACE: world.namespace,
      TEMPORAL_PAYLOAD_KEYS: PAYLOAD_KEYS,
    });
    const client = connectTemporal(temporal);
    const history = await client.workflow.getHandle(intentId).fetchHistory();
    await client.connection.close();
    const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    expect(Object.keys(started?.header?.fields ?? {})).toEqual(['_tracer-data']);
    const options = {
      ...openTracing('worker', {}, SILENT).worker,
      workflowBundle: await bundledWorkflows(),
      dataConverter: dataConverterOf(temporal),
    };
    await expect(replayHistory(options, history, intentId)).resolves.toBeUndefined();
  });
});

it.each([
  ['is away', () => 'http://127.0.0.1:9'],
  ['never answers', async () => `http://127.0.0.1:${(await servers.silent()).port}`],
])(
  'a collector that %s delays neither a payment nor a stop, and is logged once',
  async (_how, address) => {
    const [api, worker] = await serving({
      OTEL_EXPORTER_OTLP_ENDPOINT: await address(),
      OTEL_BSP_SCHEDULE_DELAY: '10',
      OTEL_BSP_EXPORT_TIMEOUT: '100',
      // Longer than a process has to stop.
      OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
    });
    await pay(api);
    const warned = () => worker.logged().filter(({ msg }) => msg.startsWith('traces are lost'));
    await until(() => warned().length > 0, SOON);
    await expect(Promise.all([api.interrupt(), worker.interrupt()])).resolves.toEqual([0, 0]);
    expect(warned()).toHaveLength(1);
  },
);
