// Rules of production alone, on the real programs with SERVICE_ENV=prod over TLS on the loopback
// (decisions 23, 26 and 114): from an empty database to a captured payment. The tests depend on
// this order.
import type { SandboxPartner } from '../../src/dev/demo/sandbox-file';
import { mintSandboxToken } from '../../src/dev/demo/sandbox-partner';
import { until } from '../../src/dev/until';
import type { AccountBalance } from '../../src/postgres/ledger/balances';
import type { OnboardedPartner } from '../../src/ops/partners/create';
import { otherEnvironment } from '../../src/main/other-environment';
import type { IntentStory } from '../../src/ops/intents/story';
import { createDatabase } from '../../src/postgres/database';
import type { Intent } from '../../src/sdk';
import { parseIntent } from '../../src/sdk/intent';
import { createCountedServers, type CountedServer } from '../support/servers/counted-servers';
import { aSessionKey } from '../support/payments/partner';
import { openProdWorld, type ProdWorld, type Program, type Serving } from '../support/prod-world';
import { rawRequest, sendRaw } from '../support/http/raw-http';
import type { ProgramSettings, ProgramResult } from '../support/programs/run-to-end';
import { openSecureCaller } from '../support/http/secure-caller';

/** The largest amount that payctl accepts without a second confirmation. */
const WIRED_USD_CENTS = 100_000_000;
/**
 * For this amount the sandbox reports too little in the holding account (src/sandbox/scenarios.ts).
 */
const SHORT_USD_CENTS = 40_006;
const NO_INTENT = 'pi_00000000000000000000000000';
const SOON = { timeoutMs: 60_000, everyMs: 200 };

type Attempt = IntentStory['webhooks'][number]['attempts'][number];

const secure = openSecureCaller();
const servers = createCountedServers();
let world: ProdWorld;
let migrated: ProgramResult;
let api: Serving;
let partner: OnboardedPartner;
/** A listener within our own network that counts connections. */
let inside: CountedServer;

beforeAll(async () => {
  world = await openProdWorld();
  inside = await servers.silent();
  [migrated] = await Promise.all([
    world.run('migrate'),
    world.run('prepare-temporal'),
    world.build(),
  ]);
  await world.grantRoles();
  partner = await onboard();
  await moveInside();
  api = await world.serve('api');
});

afterAll(async () => {
  await world.close();
  await secure.close();
  servers.closeAll();
});

const PARTNER = [
  ...['partners', 'create', '--name', 'siam-travel', '--allow', '127.0.0.1'],
  ...['--jwks-url', 'https://siam-travel.example/.well-known/jwks.json'],
  ...['--webhook-url', 'https://siam-travel.example/webhooks'],
  ...['--kyc-max-age', 'none', '--sanctions-max-age', 'none'],
];
const onboard = () => world.payctlJson<OnboardedPartner>(...PARTNER, '--env', 'prod');

const balances = async () => {
  const accounts = await world.payctlJson<readonly AccountBalance[]>('accounts', 'list');
  return new Map(accounts.map(({ account_id, balance_usd_cents: cents }) => [account_id, cents]));
};
const storyOf = ({ intentId }: Intent) =>
  world.payctlJson<IntentStory>('intents', 'show', intentId);
const created = async () =>
  parseIntent(await (await secure.create(api.address, partner, SHORT_USD_CENTS)).json());
const seen = async ({ intentId }: Intent) =>
  parseIntent(await (await secure.get(api.address, partner, intentId)).json());

/**
 * Moves key set and endpoint to an internal address by SQL, because payctl rejects such addresses
 * (decision 114).
 */
async function moveInside(): Promise<void> {
  const url = world.databaseUrl;
  const database = createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
  const values = [`https://127.0.0.1:${inside.port}/`, partner.partner_id];
  for (const text of [
    'update partners set jwks_url = $1 where partner_id = $2',
    'update webhook_endpoints set url = $1 where partner_id = $2',
  ]) {
    await database.query({ text, values });
  }
  await database.close();
}

const NOT_CALLED = 'the address 127.0.0.1 is not public (loopback, RFC 1122)';

it('is migrated with empty accounts, until operators fund the holding account', async () => {
  expect(migrated).toMatchObject({ code: 0, stderr: '' });
  expect(migrated.stdout).toMatch(/0001-\w+.*"schema is up to date"}\n$/);
  expect(new Set((await balances()).values())).toEqual(new Set([0]));
  const wire = ['--amount-usd-cents', String(WIRED_USD_CENTS), '--key', 'wire-0001'];
  await expect(world.payctlJson('accounts', 'fund', ...wire)).resolves.toMatchObject({
    is_repeat: false,
    holding_balance_usd_cents: WIRED_USD_CENTS,
  });
});

it('rejects a partner of the sandbox, whose keys prod would not accept', async () => {
  const ran = await world.payctl(...PARTNER, '--env', 'sandbox');
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^payctl: This is the database of prod, and --env is sandbox\. /);
});

describe('its API', () => {
  it('creates over TLS for a key of prod: 201', async () => {
    expect(partner.key_id).toMatch(/^siam-travel_prod_\d{4}q[1-4]$/);
    const reply = await secure.create(api.address, partner, SHORT_USD_CENTS);
    expect(reply.status).toBe(201);
    expect(parseIntent(await reply.json())).toMatchObject({ status: 'created' });
  });

  it('closes plain HTTP connections without an answer, and keeps serving', async () => {
    await expect(sendRaw(api.port, rawRequest('GET /healthz HTTP/1.1'))).resolves.toEqual([]);
    const alive = await secure.fetch(`${api.address}/healthz`);
    expect(alive.status).toBe(200);
  });

  it('makes browsers return over TLS alone', async () => {
    const page = await secure.fetch(`${api.address}/flow/${NO_INTENT}/scan`);
    expect([page.status, page.headers.get('strict-transport-security')]).toEqual([
      200,
      'max-age=31536000',
    ]);
  });

  it('passes the health check of its container', async () => {
    const PORT = String(api.port);
    await expect(world.run('api-health', { PORT })).resolves.toMatchObject({ code: 0, stderr: '' });
  });

  it('does not fetch a key set from within its own network: the token is 401', async () => {
    const intent = await created();
    const { kid, privateKey } = aSessionKey('siam-travel-1');
    const payer: SandboxPartner = {
      ...{
        ...partner,
        signing_secret: '',
        webhook_secret: '',
        webhook_inbox_url: '',
        session_kid: kid,
      },
      session_private_key_pem: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    };
    const token = await mintSandboxToken(payer, 'user-4711', intent);
    const path = `/v1/payment_intents/${intent.intentId}/confirm`;
    const reply = await secure.fetch(api.address + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(reply.status).toBe(401);
    const causes = () => api.logged().filter(({ msg }) => msg === 'key set not fetched');
    await until(() => causes().length > 0, SOON);
    expect(causes()[0]).toMatchObject({ err: { message: NOT_CALLED } });
    expect(inside.connections).toBe(0);
  });
});

const OF_PROD = otherEnvironment('prod', 'sandbox').message;

it.each<[Program, string, ProgramSettings, string]>([
  [
    'worker',
    'a provider without TLS',
    { PROVIDER_URL_VN_QRPAY: 'http://127.0.0.1:9' },
    'In prod providers are called over https only: set PROVIDER_URL_… and the addresses in PROVIDER_FORMER_TOKENS_… to https addresses.',
  ],
  ['api', 'SERVICE_ENV=sandbox on its database', { SERVICE_ENV: 'sandbox' }, OF_PROD],
  ['worker', 'SERVICE_ENV=sandbox on its database', { SERVICE_ENV: 'sandbox' }, OF_PROD],
  [
    'worker',
    'partners in a network of its own',
    { PARTNER_NETWORKS: '10.0.0.0/8' },
    'PARTNER_NETWORKS is for a sandbox: in prod partners are called at public addresses only. Unset it.',
  ],
  [
    'api',
    'neither a certificate nor a proxy that ends TLS',
    { TLS_CERT_FILE: '', TLS_KEY_FILE: '' },
    'In prod the API serves TLS only, and so do callbacks: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUSTED_PROXY_HOPS when a proxy of yours ends TLS.',
  ],
  [
    'api',
    'a certificate that is not there',
    { TLS_CERT_FILE: 'none.pem' },
    'TLS_CERT_FILE names a file that cannot be read (ENOENT).',
  ],
])('its %s does not start with %s', async (program, _what, settings, sentence) => {
  const ran = await world.run(program, settings);
  expect(ran).toEqual({ code: 2, stdout: '', stderr: `${sentence}\n` });
});

describe('a payment that an operator confirms', () => {
  let worker: Serving;
  let intent: Intent;
  const confirm = () =>
    world.payctl('intents', 'confirm', intent.intentId, '--reason', 'they called', '--json');

  it('stays created without OPERATOR_CONFIRM on the workers, and no money moves', async () => {
    worker = await world.serve('worker');
    intent = await created();
    const ran = await confirm();
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('is still created.')]);
    const rejections = () =>
      worker.logged().filter(({ msg }) => msg === 'operator confirm rejected');
    await until(() => rejections().length > 0, SOON);
    expect(rejections()[0]).toMatchObject({ intent_id: intent.intentId, reason: 'not_allowed' });
    const [story, held] = await Promise.all([storyOf(intent), balances()]);
    const untouched = { status: 'created', transitions: [], ledger_entries: [], payout: null };
    expect(story).toMatchObject(untouched);
    expect(held.get('holding')).toBe(WIRED_USD_CENTS);
    await expect(worker.interrupt()).resolves.toBe(0);
  });

  it('is captured with OPERATOR_CONFIRM, for an amount that only the sandbox rejects', async () => {
    worker = await world.serve('worker', { OPERATOR_CONFIRM: 'true' });
    await expect(confirm()).resolves.toMatchObject({ code: 0, stderr: '' });
    await until(async () => (await seen(intent)).status === 'captured', SOON);
    const amountUsdCents = SHORT_USD_CENTS;
    await expect(seen(intent)).resolves.toMatchObject({ status: 'captured', amountUsdCents });
    const { transitions, payout, attention } = await storyOf(intent);
    expect(transitions.map(({ to, actor }) => [to, actor])).toEqual([
      ['authorized', world.operator],
      ['captured', 'system'],
    ]);
    expect([payout?.status, payout?.attempts, attention]).toEqual(['paid', 1, []]);
    const paid = { amount_usd_cents: amountUsdCents, corridor: 'th_qrpay' };
    expect(world.provider.paid()).toEqual([{ key: `${intent.intentId}:payout`, ...paid }]);
  });

  it('sends no webhook to an internal address: the attempt says why, and it stays captured', async () => {
    let attempt: Attempt | undefined;
    const isRecorded = async () => {
      attempt = (await storyOf(intent)).webhooks[0]?.attempts[0];
      return attempt !== undefined;
    };
    await until(isRecorded, SOON);
    expect(attempt).toMatchObject({ status: null, error: NOT_CALLED });
    expect(inside.connections).toBe(0);
    await expect(seen(intent)).resolves.toMatchObject({ status: 'captured' });
  });

  it('leaves a ledger that sums to zero', async () => {
    const [check, held] = await Promise.all([world.payctlJson('ledger', 'check'), balances()]);
    expect(check).toMatchObject({ ok: true });
    expect([...held.values()].reduce((sum, balance) => sum + balance, 0)).toBe(0);
    expect(held.get('holding')).toBe(WIRED_USD_CENTS - SHORT_USD_CENTS);
  });

  it('is the last one: API and worker stop in order, and the health check fails', async () => {
    await expect(Promise.all([api.interrupt(), worker.interrupt()])).resolves.toEqual([0, 0]);
    const PORT = String(api.port);
    await expect(world.run('api-health', { PORT })).resolves.toMatchObject({ code: 1 });
  });
});
