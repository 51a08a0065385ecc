// The load: journeys begun at a bounded rate, drawn from the seed, for as long as the run is to last.
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, ConnectionError } from '../../../src/sdk';
import { CORRIDORS } from '../../../src/domain/corridor';
import { shuffled, type Random } from '../../bench/load/random';
import { SCENARIOS } from '../../../src/sandbox/scenarios';
import type { Desk } from './recorded-requests';
import {
  askedOfAWrongClock,
  HEALED_JOURNEYS,
  JOURNEYS,
  plain,
  type Journey,
  type Scene,
} from './journeys';
import type { OperatorDesk } from './operator';
import type { PartnerDesk } from './partner';
import { between, oneOf } from '../random';

export type Load = ReturnType<typeof createLoad>;

interface LoadParts {
  readonly desk: Desk;
  readonly partners: readonly [PartnerDesk, PartnerDesk];
  readonly operator: OperatorDesk;
  readonly random: Random;
  readonly perSecond: number;
}

const UNDER_WAY_MAX = 60;
const HEALED_WITHIN_MS = 15_000;
/** Of a hundred payments, so many have an amount that chooses an outcome. */
const MAGIC_PERCENT = 40;

export function createLoad(parts: LoadParts) {
  const { random, perSecond } = parts;
  const underWay = new Set<Promise<void>>();
  const mistakes: string[] = [];
  const script = createScript(parts);
  let begun = 0;
  const begin = (isOver: () => boolean, { journey, cents }: Turn) => {
    begun += 1;
    const scene = sceneOf(parts, { number: begun, cents, isOver });
    const playing = journey(scene)
      .catch((error: unknown) => {
        if (isAnswer(error)) return;
        mistakes.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      })
      .finally(() => underWay.delete(playing));
    underWay.add(playing);
  };
  return {
    begun: () => begun,
    underWay: () => underWay.size,
    /** What failed for a reason that is no answer of the API: a mistake of the harness. */
    mistakes: mistakes as readonly string[],
    /** Begins journeys until the signal is aborted, then lets those under way come to an end. */
    async run(over: AbortSignal) {
      while (!over.aborted) {
        if (underWay.size < UNDER_WAY_MAX) begin(() => over.aborted, script());
        // As strangers come: the next one at any moment, not in step.
        const waitMs = (-Math.log(1 - random()) * 1_000) / perSecond;
        await pause(waitMs, undefined, { signal: over }).catch(() => undefined);
      }
      while (underWay.size > 0) await Promise.all(underWay);
    },
    /** Once all is healed: what must work works. */
    async playHealed() {
      const over = AbortSignal.timeout(HEALED_WITHIN_MS);
      for (const journey of HEALED_JOURNEYS) {
        begin(() => over.aborted, { journey, cents: between(1, 40_000, random) });
      }
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** A rejection, or no answer at all: recorded where it was sent, and the end of the journey. */
function isAnswer(error: unknown): boolean {
  return error instanceof ApiError || error instanceof ConnectionError;
}

interface Turn {
  readonly journey: Journey;
  readonly cents: number;
}

/**
 * First every magic amount once, so that the shortest run has them all. While a clock is wrong, which is seldom and short,
 * every other journey has to do with it.
 */
function createScript({ desk, random }: LoadParts): () => Turn {
  const magic = SCENARIOS.map(({ amountUsdCents }) => amountUsdCents).filter(
    (amount) => amount !== 'any other',
  );
  const first = shuffled(magic, random);
  const deck = JOURNEYS.flatMap(([weight, journey]) =>
    Array.from({ length: weight }, () => journey),
  );
  return () => {
    const cents = first.pop();
    if (cents !== undefined) return { journey: plain, cents };
    const isMagic = random() * 100 < MAGIC_PERCENT;
    const isAboutClocks = desk.shifted().length > 0 && random() < 0.5;
    return {
      journey: isAboutClocks ? askedOfAWrongClock : oneOf(deck, random),
      cents: isMagic ? oneOf(magic, random) : between(1, 40_000, random),
    };
  };
}

type Casting = Pick<Scene, 'isOver'> & { readonly number: number; readonly cents: number };

function sceneOf(parts: LoadParts, { number, cents, isOver }: Casting): Scene {
  const { desk, operator, random } = parts;
  const [one, other] = parts.partners;
  const isFirst = random() < 0.5;
  return {
    partner: isFirst ? one : other,
    stranger: isFirst ? other : one,
    ...{ desk, operator, random, isOver },
    wish: { userId: `chaos-user-${number}`, cents, corridor: oneOf(CORRIDORS, random) },
  };
}
