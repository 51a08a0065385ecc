// Calls that share one statement (decision 121): a batch begins after each of its calls came, and
// the number of calls in a batch and of batches at a time is bounded.
import {
  BATCHED_CALLERS_MAX,
  BATCHES_UNDER_WAY_MAX,
  BATCH_WAIT_MAX_MS,
} from '../../src/domain/limits';
import { createBatching } from '../../src/postgres/batching';
import { createSessionTokenStore } from '../../src/postgres/partners/session-tokens';
import { aCreateCommand, anIntent, aTokenUse, intentsWithin } from '../support/builders';
import { withDatabase, withPartner, prepared } from '../support/brackets';
import { addIntents, explaining } from '../support/cost/query-plans';

interface Batch {
  readonly questions: readonly number[];
  answer(): void;
  fail(error: Error): void;
}

/** Batches that end when the test ends them. The answer is the question and an exclamation mark. */
function aBatching() {
  const batches: Batch[] = [];
  const clock = { nowMs: 0 };
  const call = createBatching<number, string>(
    (questions) =>
      new Promise((resolve, reject) => {
        const answer = () => {
          resolve(questions.map((question) => `${String(question)}!`));
        };
        batches.push({ questions, answer, fail: reject });
      }),
    () => clock.nowMs,
  );
  return { batches, clock, call };
}

/** Waits until this turn of the event loop is over. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

const numbers = (count: number, first = 0) => Array.from({ length: count }, (_, n) => first + n);
const sizes = (batches: readonly Batch[]) => batches.map(({ questions }) => questions.length);

/** A batching with as many batches under way as are allowed. */
async function aBusyBatching() {
  const batching = aBatching();
  const first: Promise<string>[] = [];
  for (const question of numbers(BATCHES_UNDER_WAY_MAX)) {
    first.push(batching.call(question));
    await turn();
  }
  expect(batching.batches).toHaveLength(BATCHES_UNDER_WAY_MAX);
  return { ...batching, first };
}

it('batching sends a call that comes alone within the same turn of the event loop', async () => {
  const { batches, call } = aBatching();
  const answer = call(7);
  await turn();
  expect(batches.map(({ questions }) => questions)).toEqual([[7]]);
  batches[0]?.answer();
  await expect(answer).resolves.toBe('7!');
});

it('batching sends the calls of one turn in one batch, and gives each its own answer', async () => {
  const { batches, call } = aBatching();
  const answers = numbers(10).map(call);
  await turn();
  expect(sizes(batches)).toEqual([10]);
  batches[0]?.answer();
  await expect(Promise.all(answers)).resolves.toEqual(numbers(10).map((n) => `${String(n)}!`));
});

it('batching answers each of two equal questions', async () => {
  const { batches, call } = aBatching();
  const answers = [call(1), call(1)];
  await turn();
  expect(batches[0]?.questions).toEqual([1, 1]);
  batches[0]?.answer();
  await expect(Promise.all(answers)).resolves.toEqual(['1!', '1!']);
});

it('batching queues calls while all batches are busy, and sends them once one ends', async () => {
  const { batches, call, first } = await aBusyBatching();
  const later = numbers(5, 100).map(call);
  await turn();
  expect(batches).toHaveLength(BATCHES_UNDER_WAY_MAX);
  batches[0]?.answer();
  await first[0];
  await turn();
  expect(batches.at(-1)?.questions).toEqual(numbers(5, 100));
  batches.at(-1)?.answer();
  await expect(Promise.all(later)).resolves.toContain('104!');
});

it('batching puts no more calls into a batch than the bound, and keeps their order', async () => {
  const { batches, call } = aBatching();
  const many = numbers(BATCHED_CALLERS_MAX * 2 + 3);
  const answers = many.map(call);
  for (let round = 0; round < 3; round += 1) {
    await turn();
    batches[round]?.answer();
    await turn();
  }
  await expect(Promise.all(answers)).resolves.toHaveLength(many.length);
  expect(sizes(batches)).toEqual([BATCHED_CALLERS_MAX, BATCHED_CALLERS_MAX, 3]);
  expect(batches.flatMap(({ questions }) => questions)).toEqual(many);
});

it('batching fails all calls of a failed batch, and no others', async () => {
  const { batches, call, first } = await aBusyBatching();
  const later = [call(100), call(101)];
  batches[0]?.fail(new Error('away'));
  await expect(first[0]).rejects.toThrow('away');
  await turn();
  batches.at(-1)?.answer();
  await expect(Promise.all(later)).resolves.toEqual(['100!', '101!']);
});

it('batching fails all calls when there are too few answers', async () => {
  const call = createBatching((questions: readonly number[]) =>
    Promise.resolve(questions.slice(1)),
  );
  const answers = await Promise.allSettled([call(1), call(2)]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

it('batching rejects a call that waited too long, and sends later calls', async () => {
  const { batches, clock, call, first } = await aBusyBatching();
  const late = call(100);
  await turn();
  clock.nowMs += BATCH_WAIT_MAX_MS + 1;
  batches[0]?.fail(new Error('silent'));
  await expect(first[0]).rejects.toThrow('silent');
  await expect(late).rejects.toMatchObject({ code: 'unavailable', reason: 'postgres_unavailable' });
  expect(batches).toHaveLength(BATCHES_UNDER_WAY_MAX);
  const next = call(101);
  await turn();
  batches.at(-1)?.answer();
  await expect(next).resolves.toBe('101!');
});

// The plans of batched statements: they find each row by its key, in empty tables
// and in full ones, and Postgres keeps using the generic plan.
describe('the plan of a batched statement', () => {
  // A single connection counts its plans.
  const bed = withDatabase({ poolSize: 1 });
  const partner = withPartner(bed);
  const intent = prepared(bed, () => anIntent(bed, partner));

  /** The plans of token lookups, signed reads and creates. */
  async function expectKeysOnly(): Promise<void> {
    const { database, plans } = explaining(bed.database);
    const tokens = createSessionTokenStore(database);
    const intents = intentsWithin(database);
    await tokens.readToken(intent.intentId, partner.partnerId, aTokenUse(partner).jtiHash);
    await intents.findSigned(partner.caller(), intent.intentId);
    await intents.create(aCreateCommand(partner));
    const [readToken, read, create] = plans;
    expect(readToken).toMatch(/payment_intents_pkey.*Index Cond.*used_tokens_pkey.*Index Cond/);
    expect(read).toMatch(/payment_intents_pkey.*Index Cond/);
    expect(create).toMatch(/payment_intents_by_idempotency_key.*Index Cond/);
    for (const plan of plans) expect(plan).not.toMatch(SCANNED);
  }

  const SCANNED = /Seq Scan on (payment_intents|used_tokens|request_nonces)/;

  it('finds each row by its key in new tables', async () => {
    await expectKeysOnly();
  });

  it('stays generic, however few callers there are', async () => {
    for (let round = 0; round < 12; round += 1) {
      await bed.tokens.readToken(intent.intentId, partner.partnerId, aTokenUse(partner).jtiHash);
      await bed.intents.findSigned(partner.caller(), intent.intentId);
      await bed.intents.create(aCreateCommand(partner));
    }
    const { rows } = await bed.database.query({
      text: `select name, custom_plans, generic_plans >= 7 as is_generic from pg_prepared_statements
            where name in ('read-tokens', 'find-signed', 'create-intent') order by name`,
    });
    // Postgres tries five times whether a custom plan for these parameters is cheaper.
    expect(rows).toEqual([
      { name: 'create-intent', custom_plans: 5, is_generic: true },
      { name: 'find-signed', custom_plans: 5, is_generic: true },
      { name: 'read-tokens', custom_plans: 5, is_generic: true },
    ]);
  });

  it('finds each row by its key among 100 000, before and after an analyze', async () => {
    await addIntents(bed.database, partner.partnerId, 100_000);
    for (let first = 1; first <= 100_000; first += 10_000) {
      await bed.database.query({
        text: `insert into used_tokens (partner_id, jti_hash, intent_id, expires_at)
               select $1, sha256(n::text::bytea), $3, service_now()
                 from generate_series($2::int, $2 + 9999) as n`,
        values: [partner.partnerId, first, intent.intentId],
      });
    }
    await expectKeysOnly();
    await bed.database.query({ text: 'vacuum analyze payment_intents' });
    await bed.database.query({ text: 'vacuum analyze used_tokens' });
    await expectKeysOnly();
  });
});
