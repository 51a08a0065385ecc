// Virtual time: the order in which fibers continue.
import { scripted } from '../run/choices';
import { Fibers } from './fibers';

const NEVER = () => Promise.resolve(Number.POSITIVE_INFINITY);
const asItIs = (toMs: number) => Promise.resolve(toMs);

function aWorld(script = {}) {
  const fibers = new Fibers(0, scripted(script));
  const seen: string[] = [];
  const note = (name: string) => seen.push(`${String(fibers.nowMs)} ${name}`);
  const sleeper = (name: string, ms: number, owner = 'owner') =>
    fibers.spawn(name, owner, async () => {
      await fibers.sleep(ms);
      note(name);
    });
  return { fibers, seen, note, sleeper };
}

test('time jumps to the next sleeping fiber', async () => {
  const { fibers, seen, sleeper } = aWorld();
  sleeper('late', 5_000);
  sleeper('early', 1_000);
  await fibers.run(asItIs);
  expect(seen).toEqual(['1000 early', '5000 late']);
});

test('a waiting fiber continues when its condition holds or its time is over, and knows which', async () => {
  const { fibers, seen, note, sleeper } = aWorld();
  fibers.spawn('in time', 'owner', async () => {
    note(`in time: ${String(await fibers.wait(() => seen.length > 0, 3_000))}`);
  });
  fibers.spawn('too late', 'owner', async () => {
    note(`too late: ${String(await fibers.wait(() => false, 3_000))}`);
  });
  sleeper('event', 1_000);
  await fibers.run(asItIs);
  expect(seen).toEqual(['1000 event', '1000 in time: true', '3000 too late: false']);
});

test('no fiber of a dead owner continues', async () => {
  const { fibers, seen, sleeper } = aWorld();
  sleeper('dead', 2_000, 'worker');
  sleeper('alive', 3_000);
  fibers.spawn('killer', 'other', () => fibers.kill('worker'));
  await fibers.run(asItIs);
  expect(seen).toEqual(['3000 alive']);
});

test('a fiber that kills its own owner does not continue', async () => {
  const { fibers, seen, note } = aWorld();
  fibers.spawn('suicide', 'worker', async () => {
    await fibers.kill('worker');
    note('after its death');
  });
  await fibers.run(asItIs);
  expect(seen).toEqual([]);
});

test('the fibers of a frozen owner continue after the freeze', async () => {
  const { fibers, seen, sleeper } = aWorld();
  sleeper('frozen', 0, 'worker');
  sleeper('alive', 1_000);
  fibers.freeze('worker', 20_000);
  await fibers.run(asItIs);
  expect(seen).toEqual(['1000 alive', '20000 frozen']);
});

test('a choice decides which of two ready fibers is first', async () => {
  const usual = aWorld();
  const other = aWorld({ 'the turn of "one" #2': 'two' });
  for (const { sleeper } of [usual, other]) ['one', 'two'].forEach((name) => sleeper(name, 10));
  await usual.fibers.run(asItIs);
  await other.fibers.run(asItIs);
  expect([usual.seen, other.seen]).toEqual([
    ['10 one', '10 two'],
    ['10 two', '10 one'],
  ]);
});

test('run ends when no fiber can continue, and throws the error of a fiber', async () => {
  const { fibers, sleeper } = aWorld();
  sleeper('never', 1_000);
  await fibers.run(NEVER);
  fibers.spawn('broken', 'owner', () => Promise.reject(new Error('on purpose')));
  await expect(fibers.run(asItIs)).rejects.toThrow('on purpose');
});
