// Draws of the harness: from its seed, so that they can be repeated.
import type { Random } from '../bench/load/random';

/** One of them, each as likely as the next. */
export function oneOf<Item>(items: readonly Item[], random: Random): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
}

/** A whole number of at least `from` and below `to`. */
export function between(from: number, to: number, random: Random): number {
  return from + Math.floor(random() * (to - from));
}
