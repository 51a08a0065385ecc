// The fewest faults that still violate something: each is left out in turn, for as long as that succeeds.
import type { Script } from './choices';

/** Lives that it may take: each fault that is left out costs one. */
const TRIES_MAX = 60;

/** @param isViolated whether a life by the script still violates something */
export async function shrink(
  script: Script,
  isViolated: (script: Script) => Promise<boolean>,
): Promise<Script> {
  let smallest = script;
  let tries = 0;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const name of Object.keys(smallest).reverse()) {
      const fewer = Object.fromEntries(
        Object.entries(smallest).filter(([other]) => other !== name),
      );
      tries += 1;
      if (tries > TRIES_MAX) return smallest;
      if (!(await isViolated(fewer))) continue;
      smallest = fewer;
      isSmaller = true;
    }
  }
  return smallest;
}
