// Questions of many callers, answered together (decision 121): by an asking that begins after each of them came, of so many at
// most, by so many at a time.
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

interface Asking {
  readonly questions: readonly number[];
  answer(): void;
  fail(error: Error): void;
}

/** Askings that end when the test says so. The answer is the question and an exclamation mark. */
function aGathering() {
  const askings: Asking[] = [];
  const clock = { nowMs: 0 };
  const ask = createBatching<number, string>(
    (questions) =>
      new Promise((resolve, reject) => {
        const answer = () => {
          resolve(questions.map((question) => `${String(question)}!`));
        };
        askings.push({ questions, answer, fail: reject });
      }),
    () => clock.nowMs,
  );
  return { askings, clock, ask };
}

/** Everything that was to happen in this turn of the event loop has happened. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

const numbers = (count: number, first = 0) => Array.from({ length: count }, (_, n) => first + n);
const sizes = (askings: readonly Asking[]) => askings.map(({ questions }) => questions.length);

/** As many askings as may be under way are. */
async function aBusyGathering() {
  const gathering = aGathering();
  const first: Promise<string>[] = [];
  for (const question of numbers(BATCHES_UNDER_WAY_MAX)) {
    first.push(gathering.ask(question));
    await turn();
  }
  expect(gathering.askings).toHaveLength(BATCHES_UNDER_WAY_MAX);
  return { ...gathering, first };
}

it('asks for a caller alone within the same turn of the event loop', async () => {
  const { askings, ask } = aGathering();
  const answer = ask(7);
  await turn();
  expect(askings.map(({ questions }) => questions)).toEqual([[7]]);
  askings[0]?.answer();
  await expect(answer).resolves.toBe('7!');
});

it('asks once for all who come in one turn, and gives each its own answer', async () => {
  const { askings, ask } = aGathering();
  const answers = numbers(10).map(ask);
  await turn();
  expect(sizes(askings)).toEqual([10]);
  askings[0]?.answer();
  await expect(Promise.all(answers)).resolves.toEqual(numbers(10).map((n) => `${String(n)}!`));
});

it('answers equal questions each for itself', async () => {
  const { askings, ask } = aGathering();
  const answers = [ask(1), ask(1)];
  await turn();
  expect(askings[0]?.questions).toEqual([1, 1]);
  askings[0]?.answer();
  await expect(Promise.all(answers)).resolves.toEqual(['1!', '1!']);
});

it('answers who comes while all askings are under way by the next one, which begins when one ends', async () => {
  const { askings, ask, first } = await aBusyGathering();
  const later = numbers(5, 100).map(ask);
  await turn();
  expect(askings).toHaveLength(BATCHES_UNDER_WAY_MAX);
  askings[0]?.answer();
  await first[0];
  await turn();
  expect(askings.at(-1)?.questions).toEqual(numbers(5, 100));
  askings.at(-1)?.answer();
  await expect(Promise.all(later)).resolves.toContain('104!');
});

it('asks of no more callers at once than the bound, in the order in which they came', async () => {
  const { askings, ask } = aGathering();
  const many = numbers(BATCHED_CALLERS_MAX * 2 + 3);
  const answers = many.map(ask);
  for (let asked = 0; asked < 3; asked += 1) {
    await turn();
    askings[asked]?.answer();
    await turn();
  }
  await expect(Promise.all(answers)).resolves.toHaveLength(many.length);
  expect(sizes(askings)).toEqual([BATCHED_CALLERS_MAX, BATCHED_CALLERS_MAX, 3]);
  expect(askings.flatMap(({ questions }) => questions)).toEqual(many);
});

it('tells a failure to those who were asked for together, and to nobody else', async () => {
  const { askings, ask, first } = await aBusyGathering();
  const later = [ask(100), ask(101)];
  askings[0]?.fail(new Error('away'));
  await expect(first[0]).rejects.toThrow('away');
  await turn();
  askings.at(-1)?.answer();
  await expect(Promise.all(later)).resolves.toEqual(['100!', '101!']);
});

it('gives nobody another one’s answer when there are too few', async () => {
  const ask = createBatching((questions: readonly number[]) => Promise.resolve(questions.slice(1)));
  const answers = await Promise.allSettled([ask(1), ask(2)]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

it('refuses who has waited too long for the turn unasked, and asks for those who come then', async () => {
  const { askings, clock, ask, first } = await aBusyGathering();
  const late = ask(100);
  await turn();
  clock.nowMs += BATCH_WAIT_MAX_MS + 1;
  askings[0]?.fail(new Error('silent'));
  await expect(first[0]).rejects.toThrow('silent');
  await expect(late).rejects.toMatchObject({ code: 'unavailable', reason: 'postgres_unavailable' });
  expect(askings).toHaveLength(BATCHES_UNDER_WAY_MAX);
  const next = ask(101);
  await turn();
  askings.at(-1)?.answer();
  await expect(next).resolves.toBe('101!');
});

// By which plan the statements of many callers run (decision 121): each row by its key, over empty tables and over full ones, and the
// plan is kept.
describe('the plan of a batched statement', () => {
  // One connection, which counts what it has planned.
  const bed = withDatabase({ poolSize: 1 });
  const partner = withPartner(bed);
  const intent = prepared(bed, () => anIntent(bed, partner));

  /** Of a look at tokens, of signed reads and of creates. */
  async function expectKeysOnly(): Promise<void> {
    const { database, plans } = explaining(bed.database);
    const tokens = createSessionTokenStore(database);
    const intents = intentsWithin(database);
    await tokens.look(intent.intentId, partner.partnerId, aTokenUse(partner).jtiHash);
    await intents.findSigned(partner.caller(), intent.intentId);
    await intents.create(aCreateCommand(partner));
    const [look, read, create] = plans;
    expect(look).toMatch(/payment_intents_pkey.*Index Cond.*used_tokens_pkey.*Index Cond/);
    expect(read).toMatch(/payment_intents_pkey.*Index Cond/);
    expect(create).toMatch(/payment_intents_by_idempotency_key.*Index Cond/);
    for (const plan of plans) expect(plan).not.toMatch(SCANNED);
  }

  const SCANNED = /Seq Scan on (payment_intents|used_tokens|request_nonces)/;

  it('finds each row by its key over tables that are new', async () => {
    await expectKeysOnly();
  });

  it('keeps the plan, however few callers there are', async () => {
    for (let asked = 0; asked < 12; asked += 1) {
      await bed.tokens.look(intent.intentId, partner.partnerId, aTokenUse(partner).jtiHash);
      await bed.intents.findSigned(partner.caller(), intent.intentId);
      await bed.intents.create(aCreateCommand(partner));
    }
    const { rows } = await bed.database.query({
      text: `select name, custom_plans, generic_plans >= 7 as is_kept from pg_prepared_statements
            where name in ('look-at-tokens', 'find-signed', 'create-intent') order by name`,
    });
    // Postgres tries five times whether a plan of its own for these parameters is cheaper.
    expect(rows).toEqual([
      { name: 'create-intent', custom_plans: 5, is_kept: true },
      { name: 'find-signed', custom_plans: 5, is_kept: true },
      { name: 'look-at-tokens', custom_plans: 5, is_kept: true },
    ]);
  });

  it('finds each row by its key among 100 000, before Postgres has counted them and after', async () => {
    await addIntents(bed.database, partner.partnerId, 100_000);
    for (let first = 1; first <= 100_000; first += 10_000) {
      await bed.database.query({
        text: `insert into used_tokens (partner_id, jti_hash, intent_id, expires_at)
               select $1, sha256(n::text::bytea), $3, service_now() from generate_series($2::int, $2 + 9999) as n`,
        values: [partner.partnerId, first, intent.intentId],
      });
    }
    await expectKeysOnly();
    await bed.database.query({ text: 'vacuum analyze payment_intents' });
    await bed.database.query({ text: 'vacuum analyze used_tokens' });
    await expectKeysOnly();
  });
});
