// Port randomness: every byte is handed out once, however many are asked for.
import { createRandomPool } from '../../src/main/random-pool';

it('hands out as many bytes as are asked for, also more than it keeps', () => {
  const { bytes } = createRandomPool();
  expect([0, 1, 12, 4_095, 4_096, 4_097, 10_000].map((count) => bytes(count).length)).toEqual([
    0, 1, 12, 4_095, 4_096, 4_097, 10_000,
  ]);
});

it('hands out none twice, and takes back none that it has handed out', () => {
  const { bytes } = createRandomPool();
  const taken = Array.from({ length: 5_000 }, () => Buffer.from(bytes(12)));
  expect(new Set(taken.map((part) => part.toString('hex'))).size).toBe(5_000);
  const [first, ...rest] = Array.from({ length: 1_000 }, () => bytes(12));
  const kept = Buffer.from(first ?? []).toString('hex');
  expect(rest).toHaveLength(999);
  expect(Buffer.from(first ?? []).toString('hex')).toBe(kept);
});
