// Postgres' clock decides a deadline, inside the statement (architecture, section 3; decision 15).
import { EXPIRY_GRACE_MS } from '../../../src/domain/limits';
import {
  anIntent,
  aTokenUse,
  countOf,
  intentsWithin,
  move,
  type TestBed,
} from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { withDatabase, withPartner } from '../../support/brackets';
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { mayBeUnderWay } from '../../../src/postgres/intents/commit-under-way';
import { createLatch } from '../../faults/live/latch';
import { workflowGone } from '../../../src/domain/intents/attention';

const LIFE_SECONDS = 60;
const DEADLINE = secondsAfter(NOON, LIFE_SECONDS);
const JUST_BEFORE = secondsAfter(DEADLINE, -0.001);

const bed = withDatabase();
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const shortLived = () => anIntent(bed, partner, { timeToLiveSeconds: LIFE_SECONDS });

describe('before the deadline', () => {
  it('an expiry is not due, and reports the remaining time', async () => {
    const { intentId } = await shortLived();
    const notDue = { outcome: 'not_due', status: 'created', dueInMs: 60_000, eventId: null };
    await expect(move(bed, intentId, 'expire')).resolves.toEqual(notDue);
    await bed.setNow(JUST_BEFORE);
    await expect(move(bed, intentId, 'expire')).resolves.toMatchObject({ dueInMs: 1 });
  });

  it.each([
    ['authorize', 'authorized'],
    ['cancel', 'cancelled'],
  ] as const)('%s in the last millisecond is in time', async (event, status) => {
    const { intentId } = await shortLived();
    await bed.setNow(JUST_BEFORE);
    const report = await move(bed, intentId, event, { from: 'created' });
    expect(report).toMatchObject({ outcome: 'did', status });
  });
});

describe('from the deadline on', () => {
  it.each(['authorize', 'cancel'] as const)('%s writes expired', async (event) => {
    const { intentId } = await shortLived();
    await bed.setNow(DEADLINE);
    const expired = { outcome: 'other', status: 'expired' };
    await expect(move(bed, intentId, event, { from: 'created' })).resolves.toMatchObject(expired);
    const text = `select count(*) from intent_transitions
                   where intent_id = $1 and to_status = 'expired'`;
    expect(await countOf(bed, text, [intentId])).toBe(1);
  });

  it('an authorized intent has no deadline any more', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'authorized' });
    await bed.setNow(secondsAfter(NOON, 86_400));
    const cancelled = await move(bed, intentId, 'cancel', { from: 'authorized' });
    expect(cancelled.status).toBe('cancelled');
  });
});

describe('readers', () => {
  const seen = async (intentId: Parameters<TestBed['intents']['find']>[0]) =>
    (await bed.intents.find(intentId))?.status;

  it('see created until deadline and grace are over, and then expired', async () => {
    const { intentId } = await shortLived();
    const graceEnds = secondsAfter(DEADLINE, EXPIRY_GRACE_MS / 1_000);
    await bed.setNow(graceEnds);
    expect(await seen(intentId)).toBe('created');
    await bed.setNow(secondsAfter(graceEnds, 0.001));
    expect(await seen(intentId)).toBe('expired');
  });

  it('see created, and never expired, of an intent that needs attention', async () => {
    const { intentId } = await shortLived();
    await bed.setNow(secondsAfter(DEADLINE, 10));
    await bed.intents.setAttention(intentId, workflowGone('created'));
    // While another transaction of the server is in progress, each row reads created for that.
    const reads: unknown[] = [];
    while (reads.length < 100) reads.push(await seen(intentId));
    expect(new Set(reads)).toEqual(new Set(['created']));
  });

  it('see created after a restart of Postgres until the restore watch ticks', async () => {
    const { intentId } = await shortLived();
    await bed.setNow(secondsAfter(DEADLINE, 10));
    await bed.database.query({ text: `update restore_watch set server_started_at = '2026-03-01'` });
    expect(await seen(intentId)).toBe('created');
    await bed.restoreWatch.tick({ ticks: 0, atMs: null });
    expect(await seen(intentId)).toBe('expired');
  });

  it('that saw expired never see the intent authorized later', async () => {
    const { intentId } = await shortLived();
    await bed.setNow(secondsAfter(DEADLINE, 10));
    expect(await seen(intentId)).toBe('expired');
    const token = aTokenUse(partner);
    await move(bed, intentId, 'authorize', { actor: 'payer', token });
    expect(await seen(intentId)).toBe('expired');
    const answer = await bed.tokens.answerConfirm(intentId, token, 'req_1');
    expect(answer?.answer).toBe('conflict');
  });
});

// A transaction that writes the row of a created intent past its deadline may have been in time:
// readers see `expired` only if there is none. `xmax` shows it, also for several
// transactions at a time, and keeps the id long after they are over.
describe('a payment whose deadline is being written', () => {
  const LIFE_SECONDS = 60;
  const PAST = secondsAfter(NOON, LIFE_SECONDS + EXPIRY_GRACE_MS / 1_000 + 1);

  const bed = withDatabase();
  const partner = withPartner(bed);

  async function pastItsDeadline(): Promise<PaymentIntent> {
    await bed.setNow(NOON);
    const intent = await anIntent(bed, partner, { timeToLiveSeconds: LIFE_SECONDS });
    await bed.setNow(PAST);
    return intent;
  }

  const seen = async ({ intentId }: PaymentIntent) => (await bed.intents.find(intentId))?.status;
  /**
   * Waits, since an older transaction of another test in the same Postgres may still be under way.
   */
  const becomesExpired = (intent: PaymentIntent) =>
    until(async () => (await seen(intent)) === 'expired', { timeoutMs: 10_000 });

  /** A transaction that has run this statement and stays open until it is ended. */
  async function underWay(text: string, { intentId }: PaymentIntent) {
    const [begun, mayEnd] = [createLatch(), createLatch()];
    let isCommit = true;
    const over = bed.database.inTransaction(async (connection) => {
      await connection.query({ text, values: [intentId] });
      begun.open();
      await mayEnd.isOpen;
      if (!isCommit) throw new Error('rolled back');
    });
    await begun.isOpen;
    const end = async (how: 'commit' | 'rollback') => {
      isCommit = how === 'commit';
      mayEnd.open();
      await over.catch(() => undefined);
    };
    return { commit: () => end('commit'), rollBack: () => end('rollback') };
  }

  const UPDATE = 'update payment_intents set check_at = service_now() where intent_id = $1';
  const LOCK = 'select from payment_intents where intent_id = $1 for key share';

  it('an update under way reads created, and expired again once it is rolled back', async () => {
    const intent = await pastItsDeadline();
    const update = await underWay(UPDATE, intent);
    await expect(seen(intent)).resolves.toBe('created');
    await update.rollBack();
    await expect(becomesExpired(intent)).resolves.toBe(true);
  });

  it('an update within a savepoint reads created, too', async () => {
    const intent = await pastItsDeadline();
    const update = await bed.database.inTransaction(async (connection) => {
      await connection.query({ text: 'savepoint one' });
      await connection.query({ text: UPDATE, values: [intent.intentId] });
      return seen(intent);
    });
    expect(update).toBe('created');
  });

  it('an update beside a lock, which are one multixact, reads created until both end', async () => {
    const intent = await pastItsDeadline();
    const lock = await underWay(LOCK, intent);
    const update = await underWay(UPDATE, intent);
    await expect(membersOf(intent)).resolves.toBe(2);
    await lock.commit();
    await expect(seen(intent)).resolves.toBe('created');
    await update.rollBack();
    await expect(membersOf(intent)).resolves.toBe(2);
    await expect(becomesExpired(intent)).resolves.toBe(true);
  });

  async function membersOf({ intentId }: PaymentIntent): Promise<number | undefined> {
    const { rows } = await bed.database.query<{ readonly members: number }>({
      text: `select (select count(*) from pg_get_multixact_members(i.xmax)) as members
             from payment_intents i where i.intent_id = $1`,
      values: [intentId],
    });
    return rows[0]?.members;
  }

  it('a lock that is over reads expired', async () => {
    const intent = await pastItsDeadline();
    const lock = await underWay(LOCK, intent);
    await expect(seen(intent)).resolves.toBe('created');
    await lock.commit();
    await expect(becomesExpired(intent)).resolves.toBe(true);
  });

  it('a confirm that commits after a reader’s snapshot reads created in it', async () => {
    await bed.setNow(NOON);
    const intent = await anIntent(bed, partner, { timeToLiveSeconds: LIFE_SECONDS });
    const { intentId } = intent;
    const inSnapshot = await bed.database.inTransaction(async (connection) => {
      await connection.query({ text: 'set transaction isolation level repeatable read' });
      await connection.query({ text: 'select' });
      await move(bed, intentId, 'authorize');
      await bed.setNow(PAST);
      return intentsWithin(connection).find(intentId);
    });
    expect([inSnapshot?.status, await seen(intent)]).toEqual(['created', 'authorized']);
  });

  describe('a transaction id, in a snapshot from 100 below the wraparound to 50 above it', () => {
    const SNAPSHOT = `'4294967196:4294967346:'::pg_snapshot`;

    it.each([
      ['older than all', 4_294_967_195, false],
      ['the oldest', 4_294_967_196, true],
      ['the last before the wraparound', 4_294_967_295, true],
      ['after the wraparound', 10, true],
      ['assigned since', 60, true],
      ['far ahead, as the id of an old multixact may be', 20_000_000, false],
      ['half the ids away', 2_147_483_600, false],
    ])('%s: %d may be under way: %s', async (_which, id, expected) => {
      const text = `select ${mayBeUnderWay(`'${String(id)}'::xid`, SNAPSHOT)} as answer`;
      const { rows } = await bed.database.query<{ readonly answer: boolean }>({ text });
      expect(rows).toEqual([{ answer: expected }]);
    });
  });
});
