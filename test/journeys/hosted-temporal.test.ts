// A deployment on a Temporal service that it does not own: over mutual TLS with encrypted payloads
// and a rotation of the client certificate, with its Postgres over TLS by `sslmode=verify-full`;
// and with an API key that may register nothing.
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { readTemporalConfig } from '../../src/config/config';
import { mintSandboxToken } from '../../src/dev/demo/sandbox-partner';
import { queryOnce } from '../../src/dev/stack/postgres';
import { until } from '../../src/dev/until';
import { listen } from '../../src/main/listen';
import type { OnboardedPartner } from '../../src/ops/partners/create';
import type { Intent } from '../../src/sdk';
import { parseIntent } from '../../src/sdk/intent';
import { connectTemporal } from '../../src/temporal/connection';
import { openSecureCaller } from '../support/http/secure-caller';
import { aSessionKey } from '../support/payments/partner';
import { openProdWorld, type ProdWorld, type Serving } from '../support/prod-world';
import type { ProgramSettings } from '../support/programs/run-to-end';
import {
  AUTHORITY_FILE,
  CLIENT_FILE,
  NEXT_AUTHORITY_FILE,
  NEXT_CLIENT_FILE,
  startHostedTemporal,
  storedHistory,
  type HostedTemporal,
} from '../support/servers/hosted-temporal';
import { startOwnPostgres, type OwnPostgres } from '../support/servers/own-postgres';
import { temporalAddress } from '../support/servers/temporal-address';

const SOON = { timeoutMs: 60_000, everyMs: 100 };
const AMOUNT_USD_CENTS = 1_250;
const FUNDS = ['--amount-usd-cents', '100000000', '--key', 'wire-0001'];

const secure = openSecureCaller();
const session = aSessionKey('siam-travel-1');
let keySets: Server;
let keySetUrl: string;

beforeAll(async () => {
  keySets = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: [session.jwk] }));
  });
  keySetUrl = `http://127.0.0.1:${String(await listen(keySets, 0, '127.0.0.1'))}/jwks.json`;
});

afterAll(async () => {
  await secure.close();
  keySets.close();
});

const verified = (url: string) =>
  `${url}?sslmode=verify-full&sslrootcert=${encodeURIComponent(AUTHORITY_FILE)}`;

/** A sandbox, so that the test may serve the partner's key set on the loopback. */
const sandbox = (temporal: ProgramSettings): ProgramSettings => ({
  SERVICE_ENV: 'sandbox',
  PARTNER_NETWORKS: '127.0.0.1/32',
  ...temporal,
});

async function onboard(world: ProdWorld): Promise<OnboardedPartner> {
  await world.payctlJson('accounts', 'fund', ...FUNDS);
  return world.payctlJson<OnboardedPartner>(
    ...['partners', 'create', '--name', 'siam-travel', '--allow', '127.0.0.1'],
    ...['--jwks-url', keySetUrl, '--env', 'sandbox'],
  );
}

const created = async (api: Serving, partner: OnboardedPartner) =>
  parseIntent(await (await secure.create(api.address, partner, AMOUNT_USD_CENTS)).json());

async function confirm(api: Serving, partner: OnboardedPartner, intent: Intent) {
  const payer = {
    ...{
      ...partner,
      signing_secret: '',
      webhook_secret: '',
      webhook_inbox_url: '',
      session_kid: session.kid,
    },
    session_private_key_pem: String(session.privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
  const authorization = `Bearer ${await mintSandboxToken(payer, 'user-4711', intent)}`;
  const url = `${api.address}/v1/payment_intents/${intent.intentId}/confirm`;
  const reply = await secure.fetch(url, { method: 'POST', headers: { authorization } });
  const answer = (await reply.json()) as { readonly status?: string };
  return [reply.status, answer.status] as const;
}

describe('over mutual TLS, and with verify-full to Postgres', () => {
  const certificate = (file: string) => ({
    TEMPORAL_TLS_CLIENT_CERT_PATH: file,
    TEMPORAL_TLS_CLIENT_KEY_PATH: file,
  });
  const connects = async (settings: ProgramSettings) => {
    const { temporal } = readTemporalConfig({
      DATABASE_URL: world.databaseUrl,
      TEMPORAL_ADDRESS: hosted.address,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: AUTHORITY_FILE,
      ...settings,
    });
    const { connection } = connectTemporal(temporal);
    const isConnected = await connection.ensureConnected().then(
      () => true,
      () => false,
    );
    await connection.close();
    return isConnected;
  };
  let hosted: HostedTemporal;
  let postgres: OwnPostgres;
  let world: ProdWorld;
  let partner: OnboardedPartner;
  let api: Serving;
  let worker: Serving;

  beforeAll(async () => {
    hosted = await startHostedTemporal(temporalAddress(), { authorities: [AUTHORITY_FILE] });
    postgres = await startOwnPostgres(true);
    world = await openProdWorld(
      sandbox({
        TEMPORAL_ADDRESS: hosted.address,
        TEMPORAL_TLS_SERVER_CA_CERT_PATH: AUTHORITY_FILE,
        TEMPORAL_PAYLOAD_KEYS: `test-1:${randomBytes(32).toString('base64')}`,
        ...certificate(CLIENT_FILE),
      }),
      { url: verified(postgres.database.url), drop: () => Promise.resolve() },
    );
    const [migrated, prepared] = await Promise.all([
      world.run('migrate'),
      world.run('prepare-temporal'),
      world.build(),
    ]);
    if (migrated.code + prepared.code !== 0) throw new Error(prepared.stdout);
    await world.grantRoles();
    partner = await onboard(world);
    [api, worker] = await Promise.all([world.serve('api'), world.serve('worker')]);
  });

  afterAll(async () => {
    await world.close();
    hosted.close();
    await postgres.database.drop();
  });

  it('captures a payment, which payctl refunds, and Temporal stores no readable payload', async () => {
    const intent = await created(api, partner);
    await expect(confirm(api, partner, intent)).resolves.toEqual([200, 'captured']);
    const history = await storedHistory(world.namespace, intent.intentId);
    expect(history).toContain('test-1');
    expect(history).not.toContain('amountUsdCents');
    const refunded = world.payctlJson('intents', 'refund', intent.intentId);
    await expect(refunded).resolves.toMatchObject({ status: 'refunded' });
  });

  it('has encrypted each connection to Postgres of API and worker', async () => {
    const connections = await queryOnce(world.databaseUrl, {
      text: `select ssl, count(*) > 0 as some from pg_stat_ssl join pg_stat_activity using (pid)
              where usename like 'login_%' group by ssl`,
      values: [],
    });
    expect(connections).toEqual([{ ssl: true, some: true }]);
  });

  it("is ready, and serves the metrics of Temporal's Core beside its own", async () => {
    const ready = worker.logged().find(({ msg }) => msg === 'ready');
    const at = `http://127.0.0.1:${String(ready?.['metrics_port'])}`;
    await expect(fetch(`${at}/readyz`)).resolves.toMatchObject({ status: 200 });
    const metrics = await (await fetch(`${at}/metrics`)).text();
    // The order, and the query of the refund.
    expect(metrics).toContain('payout_requests_total{corridor="th_qrpay",result="paid"} 2');
    expect(metrics).toMatch(/^temporal_workflow_task_schedule_to_start_latency_bucket\{/m);
    expect(metrics).toMatch(/^payouts_begun_total\{.*way="at_once".*\} [1-9]/m);
    expect(metrics).toMatch(/^payment_history_events_bucket\{.*le="4096".*\} [1-9]/m);
  });

  it('refuses a client without the certificate', async () => {
    await expect(connects({})).resolves.toBe(false);
    await expect(connects(certificate(CLIENT_FILE))).resolves.toBe(true);
  });

  it('goes on while the certificate is rotated: no confirm is lost', async () => {
    let current = api;
    let isOver = false;
    const answers: (readonly [number, string | undefined])[] = [];
    let atOldApi = 0;
    const payments = async () => {
      while (!isOver) {
        const at = current;
        if (at === api) atOldApi += 1;
        const intent = await created(at, partner);
        answers.push(await confirm(at, partner, intent));
        if (at === api) atOldApi -= 1;
      }
    };
    const before = world.provider.paid().length;
    const load = Promise.all([payments(), payments()]);
    hosted.trust(AUTHORITY_FILE, NEXT_AUTHORITY_FILE);
    const next = certificate(NEXT_CLIENT_FILE);
    const [nextApi] = await Promise.all([world.serve('api', next), world.serve('worker', next)]);
    current = nextApi;
    // As behind a load balancer: a process stops once no request goes to it any more.
    await until(() => atOldApi === 0, SOON);
    await expect(Promise.all([api.interrupt(), worker.interrupt()])).resolves.toEqual([0, 0]);
    hosted.trust(NEXT_AUTHORITY_FILE);
    const atSwitch = answers.length;
    await until(() => answers.length > atSwitch + 10, SOON);
    isOver = true;
    await load;
    // On a busy machine a confirm may be answered before its capture.
    const accepted = expect.stringMatching(/^(authorized|captured)$/) as unknown;
    expect(answers).toEqual(answers.map(() => [200, accepted]));
    await until(() => world.provider.paid().length >= before + answers.length, SOON);
    expect(world.provider.paid()).toHaveLength(before + answers.length);
    await expect(connects(certificate(CLIENT_FILE))).resolves.toBe(false);
  });
});

describe('with an API key that may register nothing', () => {
  const apiKey = 'a key of this test';
  let hosted: HostedTemporal;
  let world: ProdWorld;

  beforeAll(async () => {
    hosted = await startHostedTemporal(temporalAddress(), { apiKey, denied: '.operatorservice.' });
    world = await openProdWorld(
      sandbox({
        TEMPORAL_ADDRESS: hosted.address,
        TEMPORAL_TLS_SERVER_CA_CERT_PATH: AUTHORITY_FILE,
        TEMPORAL_API_KEY: apiKey,
      }),
    );
    await Promise.all([world.run('migrate'), world.build()]);
    await world.grantRoles();
  });

  afterAll(async () => {
    await world.close();
    hosted.close();
  });

  it('names every search attribute that it could not register', async () => {
    const ran = await world.run('prepare-temporal');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(
      /PartnerId \(KEYWORD\): .*; Corridor \(KEYWORD\): .*; NeedsAttention \(BOOL\): /,
    );
  });

  it('captures a payment without them, with a warning and without a failed task', async () => {
    const partner = await onboard(world);
    const [api, worker] = await Promise.all([world.serve('api'), world.serve('worker')]);
    const intent = await created(api, partner);
    await expect(confirm(api, partner, intent)).resolves.toEqual([200, 'captured']);
    const warned = api.logged().filter(({ msg }) => msg.includes('search attributes'));
    expect(warned.length).toBeGreaterThan(0);
    expect(worker.logged().filter(({ msg }) => msg.includes('Failing workflow task'))).toEqual([]);
  });
});
