// Runs lives one after another, and reports a violation with its smallest script.
import { scripted, type Script } from './choices';
import { live, type Life } from '../life';
import type { Harness } from '../world/harness';
import type { Schedule } from './schedules';
import { storyOf } from './story';
import type { Failure, Tally } from './tally';

interface Progress {
  readonly onLife: () => void;
  readonly onFailure: (failure: Failure) => void;
}

/** Stops at the first violation. @returns the last life */
export async function runLives(
  harness: Harness,
  schedules: Iterable<Schedule>,
  tally: Tally,
  { onLife, onFailure }: Progress,
): Promise<Life | undefined> {
  let life: Life | undefined;
  for (const { number, choices, isCounted } of schedules) {
    life = await live(harness, choices);
    if (isCounted) tally.add(life);
    onLife();
    if (!isViolated(life)) continue;
    const failure = await explain(harness, number, choices.script);
    tally.failures.push(failure);
    onFailure(failure);
    break;
  }
  return life;
}

async function explain(harness: Harness, number: number, script: Script): Promise<Failure> {
  const again = (one: Script) => live(harness, scripted(one));
  const untilMs = performance.now() + SHRINK_WITHIN_MS;
  const smallest = await shrink(
    script,
    async (one) => performance.now() < untilMs && isViolated(await again(one)),
  );
  return { number, script: smallest, story: storyOf(await again(smallest)) };
}

function isViolated({ findings }: Life): boolean {
  return findings.some(({ violations }) => violations > 0);
}

/** Bounds the report of a life that repeats without end, which takes seconds for each try. */
const SHRINK_WITHIN_MS = 60_000;
/** Each choice that is left out costs one life. */
const TRIES_MAX = 60;

/**
 * Finds the fewest choices that still violate an invariant, by leaving out one after another.
 *
 * @param isViolated whether a life by the script still violates an invariant
 */
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
