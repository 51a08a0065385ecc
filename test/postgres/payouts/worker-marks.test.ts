// The marks that a worker remembers while answers of Postgres are pending or lost (decision 127).
import type { Queryable } from '../../../src/postgres/database';
import { listPayoutStops } from '../../../src/postgres/payouts/stops';
import { startCutProxy, type CutProxy } from '../../faults/cut-proxy';
import { createLatch } from '../../faults/live/latch';
import { countOf, times } from '../../support/builders';
import { withBackups } from '../../support/database';
import { newGuard } from '../../support/payments/restore-watch';
import { withDatabase } from '../../support/brackets';

const STOPPED = [{ actor: 'system', kind: 'restore' }];

let proxy: CutProxy;
const bed = withDatabase({
  isPerTest: true,
  through: async (url) => {
    proxy = await startCutProxy(url);
    return proxy.url;
  },
});
const snapshot = withBackups(bed);
let guard = newGuard();
beforeEach(async () => {
  guard = newGuard();
  await guard.check(bed.database);
});
afterEach(() => proxy.close());

const stops = () => listPayoutStops(bed.database);

describe('after a replacement whose answer was lost', () => {
  const loseAnswer = async () => {
    const lost = proxy.loseAnswerTo('replace-worker-mark');
    await expect(guard.check(bed.database)).rejects.toThrow('unavailable');
    await lost;
  };

  it.each([
    ['', 1],
    [', and so were those of its repeats', 3],
  ])('the guard stops nothing, since it had taken effect%s', async (_more, lost) => {
    for (let time = 0; time < lost; time += 1) await loseAnswer();
    await guard.check(bed.database);
    await guard.check(bed.database);
    await expect(stops()).resolves.toEqual([]);
  });

  it('the guard stops nothing, since Postgres was put back to right before it', async () => {
    const backup = await snapshot();
    await loseAnswer();
    await backup.restore();
    await guard.check(bed.database);
    await expect(stops()).resolves.toEqual([]);
  });

  it('the guard notices a loss from before the next look that is answered', async () => {
    await loseAnswer();
    const backup = await snapshot();
    await guard.check(bed.database);
    await backup.restore();
    await guard.check(bed.database);
    await expect(stops()).resolves.toMatchObject(STOPPED);
  });

  it('the worker remembers no more than 101 marks, and stops nothing', async () => {
    const sent: unknown[] = [];
    const lossy: Queryable = {
      async query(statement) {
        const answer = await bed.database.query<never>(statement);
        if (statement.name !== 'replace-worker-mark') return answer;
        sent.push(statement.values?.[2]);
        throw new Error('the answer is lost');
      },
    };
    for (let look = 0; look < 110; look += 1) {
      await expect(guard.check(lossy)).rejects.toThrow('the answer is lost');
    }
    expect(sent.at(-1)).toHaveLength(101);
    await guard.check(bed.database);
    await expect(stops()).resolves.toEqual([]);
  });
});

describe('looks of one worker at the same time', () => {
  it('stop nothing, whichever Postgres executes first', async () => {
    for (let round = 0; round < 5; round += 1) {
      await times(8, () => guard.check(bed.database));
    }
    await expect(stops()).resolves.toEqual([]);
    expect(await countOf(bed, 'select count(*) from worker_marks')).toBe(1);
  });

  it('stop nothing if one is executed after another that was sent later', async () => {
    const [sent, mayArrive] = [createLatch(), createLatch()];
    const late: Queryable = {
      async query(statement) {
        if (statement.name === 'replace-worker-mark') {
          sent.open();
          await mayArrive.isOpen;
        }
        return bed.database.query(statement);
      },
    };
    const overtaken = guard.check(late);
    await sent.isOpen;
    await guard.check(bed.database);
    mayArrive.open();
    await overtaken;
    await guard.check(bed.database);
    await expect(stops()).resolves.toEqual([]);
  });

  it('each stop payouts before their connection is used, if the mark was lost', async () => {
    const backup = await snapshot();
    await guard.check(bed.database);
    await backup.restore();
    const looks = times(4, async () => {
      await guard.check(bed.database);
      return (await stops()).length > 0;
    });
    await expect(looks).resolves.toEqual([true, true, true, true]);
    await expect(stops()).resolves.toHaveLength(1);
  });
});
