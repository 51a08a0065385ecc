// What an API process keeps in mind is bounded, and the newest of it stays (api/auth/memory.ts).
import { createMemory } from '../../api/auth/memory';

const KEYS = Array.from({ length: 50 }, (_, nth) => `key-${String(nth)}`);

it('never keeps more than it may, and always the newer half of that', () => {
  const memory = createMemory<number>(10);
  for (const [nth, key] of KEYS.entries()) {
    memory.set(key, nth);
    const kept = KEYS.filter((one) => memory.get(one) !== undefined);
    expect(kept.length).toBeLessThanOrEqual(10);
    expect(kept).toEqual(KEYS.slice(nth + 1 - kept.length, nth + 1));
    expect(kept.length).toBeGreaterThanOrEqual(Math.min(nth + 1, 5));
  }
});

it('has the newest value of a key that is set again', () => {
  const memory = createMemory<string>(4);
  for (const value of ['first', 'second']) memory.set('key', value);
  expect(memory.get('key')).toBe('second');
  expect(memory.get('another')).toBeUndefined();
});
