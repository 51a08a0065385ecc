// Random choices of the harness, repeatable by its seed.
import type { Random } from '../bench/load/random';

/** One of the items, all equally likely. */
export function oneOf<Item>(items: readonly Item[], random: Random): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('the list to choose from is empty');
  return item;
}

/** A whole number of at least `from` and below `to`. */
export function between(from: number, to: number, random: Random): number {
  return from + Math.floor(random() * (to - from));
}
