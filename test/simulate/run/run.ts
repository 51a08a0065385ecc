// Lives the schedules one after the other, and reports a violated life by its smallest script.
import { scripted, type Script } from './choices';
import { live, type Life } from '../life';
import type { Laboratory } from '../world/laboratory';
import type { Schedule } from './schedules';
import { storyOf } from './story';
import type { Failure, Tally } from './tally';

interface Progress {
  readonly onLife: () => void;
  readonly onFailure: (failure: Failure) => void;
}

/** Until all are lived, or one violates something. @returns the life that was lived last */
export async function runLives(
  laboratory: Laboratory,
  schedules: Iterable<Schedule>,
  tally: Tally,
  { onLife, onFailure }: Progress,
): Promise<Life | undefined> {
  let life: Life | undefined;
  for (const { number, choices, isCounted } of schedules) {
    life = await live(laboratory, choices);
    if (isCounted) tally.add(life);
    onLife();
    if (!isViolated(life)) continue;
    const failure = await explain(laboratory, number, choices.script);
    tally.failures.push(failure);
    onFailure(failure);
    break;
  }
  return life;
}

async function explain(laboratory: Laboratory, number: number, script: Script): Promise<Failure> {
  const again = (one: Script) => live(laboratory, scripted(one));
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

/** A life that repeats something without end takes seconds, and the report waits for the smallest script. */
const SHRINK_WITHIN_MS = 60_000;
/** Lives that it may take: each fault that is left out costs one. */
const TRIES_MAX = 60;

/**
 * The fewest choices that still violate something: each is left out in turn, for as long as that succeeds.
 *
 * @param isViolated whether a life by the script still violates something
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
