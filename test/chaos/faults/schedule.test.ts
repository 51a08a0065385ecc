// The seed alone decides the schedule of faults, so that a report of a violation needs only the
// seed.
import { injectorOf } from './faults';
import { APIS, PARTNERS, WORKERS } from './links';
import { API_POINTS, WORKER_POINTS } from './points';
import { DECK, drawSchedule } from './schedule';

const drawn = (seed: number, seconds: number, ...only: readonly string[]) =>
  drawSchedule({ seed, seconds, only });
const KINDS = [...new Set(DECK.map(({ kind }) => kind))].sort();

describe('a schedule of faults', () => {
  it('is equal for equal seeds, and differs for different seeds', () => {
    expect(drawn(7, 300)).toEqual(drawn(7, 300));
    expect(drawn(7, 300)).not.toEqual(drawn(8, 300));
  });

  it('begins the same for every length, so that a long run can be shortened', () => {
    const short = drawn(3, 30);
    expect(short.length).toBeGreaterThan(0);
    expect(drawn(3, 60).slice(0, short.length)).toEqual(short);
  });

  it.each(Array.from({ length: 30 }, (_, index) => index + 1))(
    'has every kind of fault in 62 s, seed %d',
    (seed) => {
      expect([...new Set(drawn(seed, 62).map(({ kind }) => kind))].sort()).toEqual(KINDS);
    },
  );

  it('has every failpoint within an hour, and names only existing targets', () => {
    const faults = drawn(1, 3_600);
    const details = new Set(faults.map(({ detail }) => detail));
    expect([...WORKER_POINTS, ...API_POINTS].filter((point) => !details.has(point))).toEqual([]);
    const known = [...APIS, ...WORKERS, ...PARTNERS, 'temporal', 'postgres', 'sandbox'];
    const named = faults.flatMap(({ targets }) => targets);
    expect(named.filter((target) => !known.includes(target))).toEqual([]);
  });

  it('begins no fault in its last seconds, and is ordered by time', () => {
    const times = drawn(1, 60).map(({ atMs }) => atMs);
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect(Math.max(...times)).toBeLessThan(57_000);
  });

  it('has only the faults that --only selects', () => {
    const only = drawn(1, 60, 'kill worker', 'funds.debit after');
    const kinds = new Set(only.map(({ kind, detail }) => `${kind} ${detail}`.trim()));
    expect([...kinds].sort()).toEqual(['failpoint worker funds.debit after', 'kill worker']);
    expect(drawn(1, 60, 'none')).toEqual([]);
  });

  it('never has two clock faults at once', () => {
    const skews = drawn(1, 300, 'clock skew');
    expect(skews.length).toBeGreaterThan(5);
    const ends = skews.map(({ atMs, lastsMs }) => atMs + lastsMs);
    expect(skews.filter(({ atMs }, index) => atMs < (ends[index - 1] ?? 0))).toEqual([]);
  });

  it('has an injector for every kind of fault', () => {
    for (const kind of KINDS) expect(injectorOf(kind)).toBeInstanceOf(Function);
    expect(() => injectorOf('flood')).toThrow('unknown kind of fault: flood');
  });
});
