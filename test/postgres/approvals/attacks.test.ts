// Attacks on decisions that two people take (decision 159), with raw SQL by a login of each role:
// other spellings, other tables, other snapshots, and locks.
import { ask } from '../../../src/postgres/approvals/approvals';
import { decide, type Decision } from '../../../src/postgres/approvals/decide';
import { aFunding, openFourEyes, type Person } from '../../support/four-eyes';

let hands: Awaited<ReturnType<typeof openFourEyes>>;
beforeAll(async () => {
  hands = await openFourEyes();
});
afterEach(() => hands.reset());
afterAll(() => hands.close());

const on = (person: Person) => hands.as[person];
const approved = (decision: Decision) => hands.approved(decision);

it('support replays webhooks, and does nothing else', async () => {
  const replay = { verb: 'webhooks replay', given: { partner_id: 'nobody', event_id: 'evt_1' } };
  await expect(decide(on('sue'), replay)).resolves.toBeNull();
  const stop = { verb: 'payouts stop', given: { reason: 'x', kind: 'operator' } };
  await expect(decide(on('sue'), stop)).rejects.toThrow(/may not do "payouts stop"/);
});

it.each(['corridors-open', 'corridors_open', 'nothing', 'approvals approve'])(
  'there is no decision %s',
  async (verb) => {
    const decision = { verb, given: { of: 'vn_qrpay', reason: 'a drill' } };
    await expect(decide(on('ann'), decision)).rejects.toThrow(/There is no decision/);
    await expect(ask(on('ann'), decision, verb.split(' '))).rejects.toThrow(/There is no decision/);
  },
);

it('only who approved carries it out', async () => {
  const decision = aFunding();
  await approved(decision);
  await expect(decide(on('ann'), decision)).rejects.toMatchObject({ name: 'ApprovalRequired' });
  await expect(decide(on('cleo'), decision)).resolves.not.toBeNull();
});

it('asks for nothing with another command, and not for what one does alone', async () => {
  await expect(ask(on('ann'), aFunding(), ['accounts', 'list'])).rejects.toThrow(/begins with/);
  const stop = { verb: 'payouts stop', given: { reason: 'x', kind: 'operator' } };
  await expect(ask(on('ann'), stop, ['payouts', 'stop'])).rejects.toThrow(/needs nobody else/);
});

it('a decision sees what others have changed, whatever the caller has read before', async () => {
  const decision = aFunding();
  await approved(decision);
  await expect(
    on('cleo').inTransaction(async (connection) => {
      await connection.query({ text: 'set transaction isolation level repeatable read' });
      return decide(connection, decision);
    }),
  ).rejects.toThrow(/read committed/);
});

it('a stop waits for no other decision', async () => {
  await hands.bed.database.inTransaction(async (connection) => {
    await connection.query({ text: 'select lock_directory()' });
    const stop = { reason: 'beside a lock', kind: 'operator' };
    await expect(decide(on('ben'), { verb: 'payouts stop', given: stop })).resolves.not.toBeNull();
  });
});

it('what else is stored of an operator has the name of the login', async () => {
  const { rows } = await on('ann').query({ text: `select operator_name('somebody') as name` });
  expect(rows).toEqual([{ name: hands.loginOf.ann.name }]);
});

it('a trigger on a table of their own spends no approval', async () => {
  const table = 'create temp table mine (intent_id text, to_status text)';
  const trigger = `create trigger x before insert on mine
                     for each row execute function permit_transition()`;
  await expect(
    on('rob').onConnection(async (connection) => {
      await connection.query({ text: table });
      await connection.query({ text: trigger });
    }),
  ).rejects.toThrow(/permission denied for function permit_transition/);
});

it('the service books nothing by a table that stands before the catalogue', async () => {
  await expect(
    on('app').onConnection(async (connection) => {
      for (const text of [
        'create temp table pg_class (oid oid, relowner oid)',
        `insert into pg_class select 'public.ledger_transfers'::regclass, oid
           from pg_catalog.pg_roles where rolname = current_user`,
        'set search_path = pg_temp, pg_catalog, public',
        `insert into public.ledger_transfers
         values ('fund:evil', null, 'funding', 'holding', 1, now(), 'ann')`,
      ]) {
        await connection.query({ text });
      }
    }),
  ).rejects.toThrow(/a decision books fund:evil/);
});

it('each trigger and each function of the owner fixes where it looks for names', async () => {
  const { rows } = await hands.bed.database.query({
    text: `select p.proname as name from pg_proc p
            where p.pronamespace = 'public'::regnamespace
              and (p.prosecdef or p.prorettype = 'trigger'::regtype)
              and not coalesce(array_to_string(p.proconfig, ' '), '')
                      like '%search_path=pg_catalog, public, pg_temp%'`,
  });
  expect(rows).toEqual([]);
});

const PEOPLE = ['payments_support', 'payments_operator', 'payments_approver', 'payments_reports'];

it.each(PEOPLE)('%s may write no table', async (role) => {
  const { rows } = await hands.bed.database.query({
    text: `select c.relname as name from pg_class c
            where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'p')
              and has_table_privilege($1, c.oid, 'insert, update, delete, truncate')`,
    values: [role],
  });
  expect(rows).toEqual([]);
});

it.each([
  "insert into approvals (verb, given, acts_on, command, asked_by, expires_at) values ('x', '{}', '{}', '{}', 'x', now())",
  'update approvals set spent_at = now()',
  "insert into partners (partner_id, environment, jwks_url) values ('x', 'prod', 'x')",
  'update signing_keys set revoked_at = null',
  "insert into closures (corridor, actor, reason) values ('x', 'x', 'x')",
  "update webhook_endpoints set url = 'https://attacker.example'",
  "insert into payout_resolutions (intent_id, outcome, actor, reason, is_provider_gone) values ('x', 'paid', 'x', 'x', false)",
  "insert into ledger_transfers values ('fund:x', null, 'funding', 'holding', 1, now(), 'x')",
  "select find_approval('x', '{}', null, '{}')",
  "select book_funding('fund:x', 1, 'x')",
])('the service may not: %s', async (text) => {
  await expect(on('app').query({ text })).rejects.toThrow(/permission denied|a decision books/);
});
