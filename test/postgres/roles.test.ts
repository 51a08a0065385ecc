// The rights of our roles in Postgres (deploy/postgres/roles.sql): what was booked is not changed,
// and a role that only reads sees no secret. The journeys of prod run API, workers and payctl as
// payments_app.
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { createDatabase, type Database } from '../../src/postgres/database';
import { findIntents } from '../../src/ops/intents/list';
import { findIntentStory } from '../../src/ops/intents/story';
import { listPartners } from '../../src/ops/partners/list';
import { aPartner } from '../support/payments/partner';
import { aRoleLogin, type RoleLogin } from '../support/servers/role-login';
import { openTestBed, type TestBed } from '../support/builders';
import { aDebitedIntent } from '../ops/intents/story-rows';

const ROLES = ['payments_app', 'payments_operations', 'payments_reports'] as const;

let bed: TestBed;
let intent: PaymentIntent;
const logins: RoleLogin[] = [];
const databases: Database[] = [];
const as = {} as Record<(typeof ROLES)[number], Database>;

beforeAll(async () => {
  bed = await openTestBed();
  intent = await aDebitedIntent(bed, await aPartner(bed));
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
  "update acknowledgements set actor = 'x'",
  'delete from acknowledgements',
  'delete from payment_intents',
  "update service_environment set environment = 'sandbox'",
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
])('payments_operations may not: %s', async (text) => {
  await expect(as.payments_operations.query({ text })).rejects.toThrow(DENIED);
});

it('payments_operations runs the commands that only read', async () => {
  const database = as.payments_operations;
  await expect(findIntentStory(database, intent.intentId)).resolves.toMatchObject({
    intent_id: intent.intentId,
  });
  await expect(findIntents(database, { limit: 1 })).resolves.toHaveLength(1);
  await expect(listPartners(database)).resolves.toHaveLength(1);
});

it.each(['select * from partners', 'select partner_user_id from payment_intents'])(
  'payments_reports may not: %s',
  async (text) => {
    await expect(as.payments_reports.query({ text })).rejects.toThrow(DENIED);
  },
);

it('payments_reports reads payments and books', async () => {
  const { rows } = await as.payments_reports.query<{ readonly sum: number }>({
    text: `select sum(e.amount_usd_cents)::int as sum from ledger_entries e
             join payment_intents i using (intent_id)`,
  });
  expect(rows).toEqual([{ sum: 0 }]);
});
