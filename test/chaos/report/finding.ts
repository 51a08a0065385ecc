// What came of checking one invariant: how much was looked at, and what violates it.

export interface Finding {
  readonly name: string;
  readonly checked: number;
  readonly violations: number;
  /** The first few, each in a sentence. */
  readonly examples: readonly string[];
}

const EXAMPLES_MAX = 5;

/** @param faultsOf what is wrong with one of them, each in a sentence; nothing where all is right */
export function judgeEach<Item>(
  name: string,
  items: Iterable<Item>,
  faultsOf: (item: Item) => readonly string[],
): Finding {
  let checked = 0;
  let violations = 0;
  const examples: string[] = [];
  for (const item of items) {
    checked += 1;
    for (const fault of faultsOf(item)) {
      violations += 1;
      if (examples.length < EXAMPLES_MAX) examples.push(fault);
    }
  }
  return { name, checked, violations, examples };
}

/** The sentences whose condition holds. */
export function faults(
  ...given: readonly (readonly [isWrong: boolean, sentence: string])[]
): readonly string[] {
  return given.filter(([isWrong]) => isWrong).map(([, sentence]) => sentence);
}

/** By a key, in the order of the first of each. */
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
