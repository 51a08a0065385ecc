// Shrinking a script to the fewest choices that still violate an invariant.
import { shrink } from './run';

test('leaves out every choice that the violation does not need', async () => {
  const script = { a: '1', b: '2', c: '3', d: '4' };
  const isViolated = (one: Readonly<Record<string, string>>) =>
    Promise.resolve('b' in one && 'd' in one);
  expect(await shrink(script, isViolated)).toEqual({ b: '2', d: '4' });
});

test('keeps the script when the violation needs every choice', async () => {
  const script = { a: '1', b: '2' };
  const isViolated = (one: object) => Promise.resolve(Object.keys(one).length === 2);
  expect(await shrink(script, isViolated)).toEqual(script);
});
