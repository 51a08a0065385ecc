// The load: begins journeys at a bounded rate, drawn from the seed, until its time is over.
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, ConnectionError } from '../../../src/sdk';
import { CORRIDORS } from '../../../src/corridors/names';
import { shuffled, type Random } from '../../bench/load/random';
import { SCENARIOS } from '../../../src/sandbox/scenarios';
import type { ApiDriver } from './api-driver';
import {
  sentToAWrongClock,
  HEALED_JOURNEYS,
  JOURNEYS,
  plain,
  type Journey,
  type JourneySetup,
} from './journeys';
import type { Operator } from './operator';
import type { PartnerActor } from './partner';
import { between, oneOf } from '../random';

interface LoadParts {
  readonly driver: ApiDriver;
  readonly partners: readonly [PartnerActor, PartnerActor];
  readonly operator: Operator;
  readonly random: Random;
  readonly perSecond: number;
  /** The providers are not the sandbox's, whose amounts select a scenario. */
  readonly hasAdapters: boolean;
}

const UNDER_WAY_MAX = 60;
const HEALED_WITHIN_MS = 15_000;
/** This share of payments has an amount that selects one of the sandbox's scenarios. */
const PERCENT_PER_SCENARIO = 3;

export function createLoad(parts: LoadParts) {
  const { random, perSecond } = parts;
  const underWay = new Set<Promise<void>>();
  const harnessErrors: string[] = [];
  const script = createScript(parts);
  let begun = 0;
  const begin = (isOver: () => boolean, { journey, cents }: Turn) => {
    begun += 1;
    const setup = setupOf(parts, { number: begun, cents, isOver });
    const playing = journey(setup)
      .catch((error: unknown) => {
        if (isAnswer(error)) return;
        harnessErrors.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      })
      .finally(() => underWay.delete(playing));
    underWay.add(playing);
  };
  return {
    begun: () => begun,
    underWay: () => underWay.size,
    /** Failures of the harness itself: any error that is not an API answer. */
    harnessErrors: harnessErrors as readonly string[],
    /** Begins journeys until the signal is aborted, then waits for those under way. */
    async run(over: AbortSignal) {
      while (!over.aborted) {
        if (underWay.size < UNDER_WAY_MAX) begin(() => over.aborted, script());
        // Exponential gaps, as independent payers arrive.
        const waitMs = (-Math.log(1 - random()) * 1_000) / perSecond;
        await pause(waitMs, undefined, { signal: over }).catch(() => undefined);
      }
      while (underWay.size > 0) await Promise.all(underWay);
    },
    /** Plays journeys that have to succeed after all faults. */
    async playHealed() {
      const over = AbortSignal.timeout(HEALED_WITHIN_MS);
      for (const journey of HEALED_JOURNEYS) {
        begin(() => over.aborted, { journey, cents: between(1, 40_000, random) });
      }
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** A rejection or a missing answer ends the journey; the API driver has recorded it. */
function isAnswer(error: unknown): boolean {
  return error instanceof ApiError || error instanceof ConnectionError;
}

interface Turn {
  readonly journey: Journey;
  readonly cents: number;
}

/**
 * Plays every scenario amount once first, so that even the shortest run has them all. While a clock
 * is wrong, which is rare and short, every second journey uses that API.
 */
function createScript({ driver, random, hasAdapters }: LoadParts): () => Turn {
  const magic = SCENARIOS.filter(({ funds }) => !hasAdapters || funds === 'insufficient')
    .map(({ amountUsdCents }) => amountUsdCents)
    .filter((amount) => amount !== 'any other');
  const first = shuffled(magic, random);
  const deck = JOURNEYS.flatMap(([weight, journey]) =>
    Array.from({ length: weight }, () => journey),
  );
  return () => {
    const cents = first.pop();
    if (cents !== undefined) return { journey: plain, cents };
    const isMagic = random() * 100 < PERCENT_PER_SCENARIO * magic.length;
    const isAboutClocks = driver.shifted().length > 0 && random() < 0.5;
    return {
      journey: isAboutClocks ? sentToAWrongClock : oneOf(deck, random),
      cents: isMagic ? oneOf(magic, random) : between(1, 40_000, random),
    };
  };
}

type SetupOptions = Pick<JourneySetup, 'isOver'> & {
  readonly number: number;
  readonly cents: number;
};

function setupOf(parts: LoadParts, { number, cents, isOver }: SetupOptions): JourneySetup {
  const { driver, operator, random } = parts;
  const [one, other] = parts.partners;
  const isFirst = random() < 0.5;
  return {
    partner: isFirst ? one : other,
    otherPartner: isFirst ? other : one,
    ...{ driver, operator, random, isOver },
    order: { userId: `chaos-user-${number}`, cents, corridor: oneOf(CORRIDORS, random) },
  };
}
