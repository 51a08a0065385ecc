// Mistakes about the ledger, and about what may be used only once.
import type { Mutation } from './mutation';

export const LEDGER_MISTAKES: readonly Mutation[] = [
  {
    name: 'debited under a random key',
    file: 'src/postgres/funds-account.ts',
    find: "key: stepKey(intentId, 'debit')",
    replace: "key: stepKey(intentId, 'debit') + String(Math.random())",
    tests: ['test/postgres/funds-account.test.ts'],
    mustFail: 'repeated answers debited and moves nothing more',
  },
  {
    name: 'the debit that there is already is ignored',
    file: 'src/postgres/funds-account.ts',
    find: 'select transfer_key from ledger_transfers where transfer_key = $4',
    replace: 'select transfer_key from ledger_transfers where transfer_key = $4 and false',
    tests: ['test/postgres/funds-account.test.ts'],
    mustFail: 'repeated answers debited and moves nothing more',
  },
  {
    name: 'an authorize takes the debit along whatever the slot has',
    file: 'src/postgres/transition-statement.ts',
    find: ' and s.balance_usd_cents >= m.amount_usd_cents',
    replace: '',
    tests: ['test/postgres/joined-debit.test.ts'],
    mustFail: 'where no slot has enough, though all together have',
  },
  {
    name: 'an authorize takes the debit along that there is already',
    file: 'src/postgres/transition-statement.ts',
    find: "       and not exists (select from ledger_transfers d where d.transfer_key = $1 || ':debit')\n",
    replace: '',
    tests: ['test/postgres/joined-debit.test.ts'],
    mustFail:
      'is not made again where the ledger holds one already, as after a restore of the intent alone',
  },
  {
    name: 'a confirm that came too late is debited all the same',
    file: 'src/postgres/transition-statement.ts',
    find: "m.status = 'authorized' and m.amount_usd_cents = $13::bigint",
    replace: 'm.amount_usd_cents = $13::bigint',
    tests: ['test/postgres/joined-debit.test.ts'],
    mustFail: 'moves nothing where the intent is not authorized: past the deadline',
  },
  {
    name: 'an authorize waits for a slot that somebody holds',
    file: 'src/postgres/transition-statement.ts',
    find: 'for update of s skip locked',
    replace: 'for update of s',
    tests: ['test/postgres/joined-debit.test.ts'],
    mustFail: 'where somebody holds every slot: it waits for none',
  },
  {
    name: 'a debit whose commit nobody heard of counts as made',
    file: 'workflows/settlement.ts',
    find: "if (isDebited) return 'debited';",
    replace: "if (!isDebited || isDebited) return 'debited';",
    tests: ['test/workflows/settlement.test.ts'],
    mustFail: 'fails without a payout when the holding account has too little',
  },
  {
    name: 'captured for a cent less than was debited',
    file: 'src/postgres/transition-statement.ts',
    find: "'settlement:' || m.corridor, m.amount_usd_cents, clock.now",
    replace: "'settlement:' || m.corridor, m.amount_usd_cents - 1, clock.now",
    tests: ['test/postgres/funds-account.test.ts'],
    mustFail: 'captured: what was held has gone to the corridor’s settlement',
  },
  {
    name: 'what comes back to the holding account is credited twice',
    file: 'src/postgres/transition-statement.ts',
    find: 'set balance_usd_cents = s.balance_usd_cents + t.amount_usd_cents',
    replace: 'set balance_usd_cents = s.balance_usd_cents + 2 * t.amount_usd_cents',
    tests: ['test/postgres/refund.test.ts'],
    mustFail: 'credits the holding account against what the provider of the corridor owes us',
  },
  {
    name: 'refunded without a capture',
    file: 'src/postgres/transition-statement.ts',
    find: `       and ($3 <> 'refunded'
            or exists (select from ledger_transfers c where c.transfer_key = $1 || ':capture'))
`,
    replace: '',
    tests: ['test/postgres/refund.test.ts'],
    mustFail: 'moves nothing when the ledger holds no capture',
  },
];

export const REPLAY_MISTAKES: readonly Mutation[] = [
  {
    name: 'a nonce that was seen passes',
    file: 'src/postgres/nonce.ts',
    find: 'on conflict (partner_id, nonce) do nothing',
    replace: 'on conflict (partner_id, nonce) do update set seen_at = excluded.seen_at',
    tests: ['test/postgres/create-intent.test.ts'],
    mustFail: 'that was seen is refused, and nothing is written',
  },
  {
    name: 'one token is answered 200 more than once',
    file: 'src/postgres/session-tokens.ts',
    find: 'and (answered_by is null or answered_by = $5)',
    replace: '',
    tests: ['test/postgres/token-answers.test.ts'],
    mustFail: 'is answered for by exactly one of thirty concurrent callers',
  },
  {
    name: 'a token that was taken once is taken whatever became of its key',
    file: 'api/auth/token-proof.ts',
    find: '=> remembered.get(token)?.key === key',
    replace: '=> remembered.get(token) !== undefined && key.type !== undefined',
    tests: ['test/api/token-remembered.test.ts'],
    mustFail: 'a token that was taken is refused once its kid stands for another key',
  },
  {
    name: 'a signed read whose nonce was seen is answered by what it reads',
    file: 'api/intents/find-owned.ts',
    find: "if (nonce !== 'claimed') throw refuseNonce(nonce, caller);",
    replace: '',
    tests: ['test/api/signed-request.test.ts'],
    mustFail: 'that was seen is refused, also on another endpoint',
  },
  {
    name: 'a signed read tells the intent although its nonce was seen',
    file: 'src/postgres/find-signed.ts',
    find: ' and claimed.place is not null offset 0',
    replace: ' offset 0',
    tests: ['test/postgres/find-signed.test.ts'],
    mustFail: 'one of fifty is answered, and the others learn nothing',
  },
  {
    name: 'equal signed reads in one statement are all answered',
    file: 'src/postgres/nonce.ts',
    find: 'select place, partner_id from firsts join nonce using (partner_id, nonce)',
    replace: 'select place, partner_id from judged join nonce using (partner_id, nonce)',
    tests: ['test/postgres/find-signed.test.ts'],
    mustFail: 'one of fifty is answered, and the others learn nothing',
  },
  {
    name: 'nonces of many callers are recorded in the order in which they came',
    file: 'src/postgres/nonce.ts',
    find: 'from firsts order by partner_id, nonce',
    replace: 'from firsts order by place',
    tests: ['test/postgres/gathered-reads.test.ts'],
    mustFail:
      'record nonces in the order of the nonces, so that two processes wait for each other in no ring',
  },
  {
    name: 'intents of many callers are made in the order in which they came',
    file: 'src/postgres/create-intent.ts',
    find: 'order by asked.partner_id, asked.idempotency_key, asked.place',
    replace: 'order by asked.place',
    tests: ['test/postgres/gathered-creates.test.ts'],
    mustFail:
      'makes them in the order of their keys, so that two processes wait for each other in no ring',
  },
];
