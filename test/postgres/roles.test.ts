// The rights of our roles in Postgres (deploy/postgres/roles.sql): what was booked is not changed,
// and a role that only reads sees no secret. The journeys of prod run API, workers and payctl as
// payments_app.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { createDatabase, type Database } from '../../src/postgres/database';
import { aPartner, mintToken, type TestPartner } from '../support/payments/partner';
import { ROOT } from '../support/programs/fixture-project';
import { runPayctl } from '../support/programs/payctl';
import { aRoleLogin, type RoleLogin } from '../support/servers/role-login';
import { openTestBed, type TestBed } from '../support/builders';
import { withClient } from '../support/database';
import { aDebitedIntent } from '../ops/intents/story-rows';

const ROLES = ['payments_app', 'payments_support', 'payments_reports'] as const;

let bed: TestBed;
let partner: TestPartner;
let intent: PaymentIntent;
const logins: RoleLogin[] = [];
const databases: Database[] = [];
const as = {} as Record<(typeof ROLES)[number], Database>;

beforeAll(async () => {
  bed = await openTestBed();
  partner = await aPartner(bed, { jwksUrl: 'http://127.0.0.1:9/.well-known/jwks.json' });
  intent = await aDebitedIntent(bed, partner);
  for (const role of ROLES) {
    const login = await aRoleLogin(bed.url, role);
    await login.grantRoles();
    logins.push(login);
    as[role] = createDatabase({ url: login.url, poolSize: 1, onLostConnection: () => undefined });
    databases.push(as[role]);
  }
});
afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await bed.close();
  for (const login of logins) await login.drop();
});

const DENIED = /permission denied/;

it.each([
  'update ledger_transfers set amount_usd_cents = 1',
  'delete from ledger_transfers',
  'truncate ledger_transfers',
  "update intent_transitions set actor = 'x'",
  'delete from intent_transitions',
  "update operator_actions set actor = 'x'",
  'delete from operator_actions',
  "update attention set kind = 'paid_twice'",
  "update attention_kinds set ended_by = '{}'",
  'delete from attention',
  'delete from payment_intents',
  "update service_environment set environment = 'sandbox'",
  "insert into schema_migrations (name, run_on) values ('9999-x', now())",
  'drop table payouts',
])('payments_app may not: %s', async (text) => {
  await expect(as.payments_app.query({ text })).rejects.toThrow(/permission denied|must be owner/);
});

it.each([
  'select secret_sealed from signing_keys',
  'select * from webhook_endpoints',
  'select partner_user_id from payment_intents',
  'select qr_payload from confirm_payloads',
  "update payment_intents set status = 'failed'",
  'delete from request_nonces',
])('payments_support may not: %s', async (text) => {
  await expect(as.payments_support.query({ text })).rejects.toThrow(DENIED);
});

/** No command that only reads opens a secret. */
const ANY_KEY = { KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };
/** The URL of a login with the rights of `payments_support`. */
const operations = () => ({ url: logins[ROLES.indexOf('payments_support')]?.url ?? '' });

it.each([
  'partners list',
  'partners show PARTNER',
  'partners totals PARTNER',
  'keys list PARTNER',
  'intents list --attention',
  'intents list --partner PARTNER',
  'intents show INTENT',
  'accounts list',
  'payouts show',
  'status',
  'ledger check',
  'reconcile findings',
  'webhooks list',
  'webhooks list PARTNER',
])('payments_support runs payctl %s, which only reads', async (command) => {
  const text = command.replace('PARTNER', partner.partner_id).replace('INTENT', intent.intentId);
  const ran = await runPayctl(operations(), text.split(' '), ANY_KEY);
  expect([ran.code, ran.stderr]).toEqual([0, '']);
});

it('payments_support has a session token explained', async () => {
  const token = mintToken(partner, intent, { exp: 1, iat: 0 });
  const ran = await runPayctl(operations(), ['token', 'explain'], {
    ...ANY_KEY,
    SESSION_TOKEN: token,
  });
  expect(ran.stderr).toBe('payctl: The API rejects this token: key_set_not_fetched.\n');
});

/** As psql runs the file: one statement after another. */
const STATEMENTS = readFileSync(join(ROOT, 'deploy/postgres/roles.sql'), 'utf8')
  .replaceAll(/^--.*\n/gm, '')
  .match(/(?:\$\$[^]*?\$\$|[^;$])+;/g);

it('payments_app keeps its rights while the file runs again', async () => {
  await withClient(bed.url, async (owner) => {
    for (const statement of STATEMENTS ?? []) {
      await owner.query(statement);
      await as.payments_app.query({ text: 'select from payment_intents limit 1' });
    }
  });
  expect(STATEMENTS?.length).toBeGreaterThan(8);
});

it.each(['select * from partners', 'select partner_user_id from payment_intents'])(
  'payments_reports may not: %s',
  async (text) => {
    await expect(as.payments_reports.query({ text })).rejects.toThrow(DENIED);
  },
);

/** What finance asks. */
const QUERIES = /```sql\n([^]*?)```/
  .exec(readFileSync(join(ROOT, 'docs/operations.md'), 'utf8'))?.[1]
  ?.split(/;\n/)
  .filter((text) => text.trim() !== '');

it.each(QUERIES ?? [])('payments_reports may: %s', async (text) => {
  const { rows } = await as.payments_reports.query({ text });
  expect(rows).toEqual(expect.any(Array));
});

it('payments_reports reads payments and books', async () => {
  expect(QUERIES).toHaveLength(3);
  const { rows } = await as.payments_reports.query<{ readonly sum: number }>({
    text: `select sum(e.amount_usd_cents)::int as sum from ledger_entries e
             join payment_intents i using (intent_id)`,
  });
  expect(rows).toEqual([{ sum: 0 }]);
});
