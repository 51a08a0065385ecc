// The result of checking one invariant: the number of checks, and the violations.

export interface Finding {
  readonly name: string;
  readonly checked: number;
  readonly violations: number;
  /** The first few violations, each as a sentence. */
  readonly examples: readonly string[];
}

const EXAMPLES_MAX = 5;

/** @param problemsOf the problems of one item as sentences; empty when there are none */
export function checkEach<Item>(
  name: string,
  items: Iterable<Item>,
  problemsOf: (item: Item) => readonly string[],
): Finding {
  let checked = 0;
  let violations = 0;
  const examples: string[] = [];
  for (const item of items) {
    checked += 1;
    for (const fault of problemsOf(item)) {
      violations += 1;
      if (examples.length < EXAMPLES_MAX) examples.push(fault);
    }
  }
  return { name, checked, violations, examples };
}

/** The sentences whose condition holds. */
export function problems(
  ...given: readonly (readonly [isWrong: boolean, sentence: string])[]
): readonly string[] {
  return given.filter(([isWrong]) => isWrong).map(([, sentence]) => sentence);
}

/**
 * Groups items by key, in the order in which the keys first appear. Items without a key are left
 * out.
 */
export function grouped<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string | undefined,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
