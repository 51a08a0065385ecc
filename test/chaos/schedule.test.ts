// The schedule of faults is drawn from its seed and from nothing else: whoever reports a violation can name the seed.
import { APIS, PARTNERS, WORKERS } from './links';
import { API_POINTS, WORKER_POINTS } from './points';
import { DECK, drawSchedule } from './schedule';

const AN_HOUR = { seconds: 3_600, only: [] };
const kindsIn = (seed: number) => drawSchedule({ seed, ...AN_HOUR }).map(({ kind }) => kind);

describe('a schedule of faults', () => {
  it('is the same for the same seed: kinds, targets, details, times and lengths', () => {
    const wish = { seed: 7, seconds: 300, only: [] };
    expect(drawSchedule(wish)).toEqual(drawSchedule(wish));
  });

  it('is another for another seed', () => {
    expect(kindsIn(1)).not.toEqual(kindsIn(2));
  });

  it('begins alike for every length, so that a long run can be cut short', () => {
    const short = drawSchedule({ seed: 3, seconds: 30, only: [] });
    expect(short.length).toBeGreaterThan(0);
    expect(drawSchedule({ seed: 3, seconds: 60, only: [] }).slice(0, short.length)).toEqual(short);
  });

  it.each([1, 2, 3])('has every kind of fault in a minute, seed %d', (seed) => {
    const kinds = new Set(drawSchedule({ seed, seconds: 60, only: [] }).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([...new Set(DECK.map(({ kind }) => kind))].sort());
  });

  it('has every named point within the hour', () => {
    const details = new Set(drawSchedule({ seed: 1, ...AN_HOUR }).map(({ detail }) => detail));
    expect([...WORKER_POINTS, ...API_POINTS].filter((point) => !details.has(point))).toEqual([]);
  });

  it('begins nothing in its last seconds, and is in the order of time', () => {
    const times = drawSchedule({ seed: 1, seconds: 60, only: [] }).map(({ atMs }) => atMs);
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect(Math.max(...times)).toBeLessThan(57_000);
  });

  it('has only what was asked for', () => {
    const only = drawSchedule({ seed: 1, seconds: 60, only: ['kill worker', 'funds.debit after'] });
    const kinds = new Set(only.map(({ kind, detail }) => `${kind} ${detail}`.trim()));
    expect([...kinds].sort()).toEqual(['failpoint worker funds.debit after', 'kill worker']);
  });

  it('is empty when nothing fits', () => {
    expect(drawSchedule({ seed: 1, seconds: 60, only: ['none'] })).toEqual([]);
  });

  it('has no clock put right by one fault while another one has it wrong', () => {
    const skews = drawSchedule({ seed: 1, seconds: 300, only: ['clock skew'] });
    expect(skews.length).toBeGreaterThan(5);
    const ends = skews.map(({ atMs, lastsMs }) => atMs + lastsMs);
    expect(skews.filter(({ atMs }, index) => atMs < (ends[index - 1] ?? 0))).toEqual([]);
  });

  it('names targets that there are', () => {
    const known = [...APIS, ...WORKERS, ...PARTNERS, 'temporal', 'postgres', 'sandbox'];
    const named = drawSchedule({ seed: 1, ...AN_HOUR }).flatMap(({ targets }) => targets);
    expect(named.filter((target) => !known.includes(target))).toEqual([]);
  });
});
