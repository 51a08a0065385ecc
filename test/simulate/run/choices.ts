// All choices of a life are made here, by a seed or by a script. The name of a choice does not
// depend on other choices, so that a failing life can be repeated with fewer of them.
import type { Random } from '../../bench/load/random';
import { oneOf } from '../../chaos/random';

export interface Choices {
  /** A setting of the whole life. All options are equally likely. */
  setting<Option extends string>(name: string, options: readonly Option[]): Option;
  /** A setting that has its first option in most lives: in all but this share. */
  rareSetting<Option extends string>(
    name: string,
    options: readonly Option[],
    share?: number,
  ): Option;
  /** The first option is the normal case; the others are faults. */
  fault<Option extends string>(point: string, options: readonly Option[]): Option;
}

/** Options by choice name, for all choices that do not have their first option. */
export type Script = Readonly<Record<string, string>>;

export interface Choice {
  readonly name: string;
  readonly options: readonly string[];
  readonly chosen: string;
  readonly isFault: boolean;
  /**
   * Share of lives with another than the first option; undefined when all options are equally
   * likely.
   */
  readonly share?: number;
}

/** The n-th choice at a point is named `point #n`. */
export class RecordedChoices implements Choices {
  readonly made: Choice[] = [];
  private readonly times = new Map<string, number>();

  /** Picks an option; undefined means the first. */
  private readonly choose: (choice: Omit<Choice, 'chosen'>) => string | undefined;

  constructor(choose: (choice: Omit<Choice, 'chosen'>) => string | undefined) {
    this.choose = choose;
  }

  setting<Option extends string>(name: string, options: readonly Option[]): Option {
    return this.record({ name, options, isFault: false });
  }

  rareSetting<Option extends string>(
    name: string,
    options: readonly Option[],
    share = RARE,
  ): Option {
    return this.record({ name, options, isFault: false, share });
  }

  fault<Option extends string>(point: string, options: readonly Option[]): Option {
    const nth = (this.times.get(point) ?? 0) + 1;
    this.times.set(point, nth);
    return this.record({ name: `${point} #${String(nth)}`, options, isFault: true });
  }

  get script(): Script {
    return Object.fromEntries(this.unusual.map(({ name, chosen }) => [name, chosen]));
  }

  /** The settings that are not the usual ones. */
  get settings(): readonly string[] {
    return this.unusual
      .filter(({ isFault }) => !isFault)
      .map(({ name, chosen }) => `${name}: ${chosen}`);
  }

  /** Choices with another than the first option. */
  private get unusual(): readonly Choice[] {
    return this.made.filter(({ options, chosen }) => chosen !== options[0]);
  }

  private record<Option extends string>(choice: {
    readonly name: string;
    readonly options: readonly Option[];
    readonly isFault: boolean;
    readonly share?: number;
  }): Option {
    const wanted = this.choose(choice);
    const chosen = choice.options.find((option) => option === wanted) ?? choice.options[0];
    if (chosen === undefined) throw new Error(`the choice ${choice.name} has no options`);
    this.made.push({ ...choice, chosen });
    return chosen;
  }
}

export function scripted(script: Script): RecordedChoices {
  return new RecordedChoices(({ name }) => script[name]);
}

/** Probability of a fault at each point: some lives have no faults, some have many. */
const RATES = [0, 0.01, 0.03, 0.1];
/**
 * Points before the first fault, so that some lives still have faults left for late phases of the
 * payment.
 */
const QUIET_POINTS = [0, 0, 50, 150];
/**
 * Share of the fault kinds that a life can have: few kinds meet each other more often (swarm
 * testing, Groce 2012).
 */
const KINDS = [1, 0.4, 0.15];
const FAULTS_MAX = 8;
const RARE = 0.2;

export function drawn(random: Random): RecordedChoices {
  const faults = new DrawnFaults(random);
  return new RecordedChoices(({ options, isFault, share }) => {
    if (isFault) return faults.draw(options);
    return share !== undefined && random() >= share ? undefined : oneOf(options, random);
  });
}

class DrawnFaults {
  private readonly random: Random;
  private readonly rate: number;
  private readonly share: number;
  private readonly kinds = new Map<string, boolean>();
  private quietPoints: number;
  private left = FAULTS_MAX;

  constructor(random: Random) {
    this.random = random;
    this.rate = oneOf(RATES, random);
    this.share = oneOf(KINDS, random);
    this.quietPoints = oneOf(QUIET_POINTS, random);
  }

  draw<Option extends string>(options: readonly Option[]): Option | undefined {
    this.quietPoints -= 1;
    if (this.left === 0 || this.quietPoints >= 0 || this.random() >= this.rate) return undefined;
    const faults = options.slice(1).filter((option) => this.isOfLife(option));
    if (faults.length === 0) return undefined;
    this.left -= 1;
    return oneOf(faults, this.random);
  }

  private isOfLife(kind: string): boolean {
    const isOne = this.kinds.get(kind) ?? this.random() < this.share;
    this.kinds.set(kind, isOne);
    return isOne;
  }
}
