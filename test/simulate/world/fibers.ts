// Virtual time. One fiber at a time runs until it sleeps or waits, so that equal choices give equal
// lives.
import type { Choices } from '../run/choices';

/** The process of a fiber. When an owner dies, its fibers never continue. */
type Owner = string;

interface Fiber {
  readonly name: string;
  readonly owner: Owner;
}

interface Parked {
  readonly fiber: Fiber;
  /** When the fiber continues at the latest; infinite if only the condition wakes it. */
  readonly atMs: number;
  readonly isReady: () => boolean;
  /** @param isReady false when the time is over */
  readonly resume: (isReady: boolean) => void;
}

/** For a pause that only time ends. */
const NEVER_READY = () => false;
/**
 * No terminating life needs this many turns, even with many outages of two minutes: more means an
 * endless repetition.
 */
const TURNS_MAX = 60_000;
/** A choice picks the next fiber among at most this many ready ones. */
const NEXT_AT_MOST = 3;

export class Fibers {
  nowMs: number;
  private readonly parked: Parked[] = [];
  private readonly frozenUntilMs = new Map<Owner, number>();
  private current: Fiber | undefined;
  private onYield: () => void = () => undefined;
  private failure: { readonly error: unknown } | undefined;
  private turns = 0;

  private readonly choices: Choices;

  constructor(startMs: number, choices: Choices) {
    this.choices = choices;
    this.nowMs = startMs;
  }

  /** Begins at the next turn. An error of the work fails the life. */
  spawn(name: string, owner: Owner, work: () => Promise<unknown>): void {
    this.spawnAt(this.nowMs, name, owner, work);
  }

  spawnAt(atMs: number, name: string, owner: Owner, work: () => Promise<unknown>): void {
    const begin = this.park({ name, owner }, atMs, NEVER_READY);
    void begin
      .then(work)
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => this.onYield());
  }

  sleep(ms: number): Promise<boolean> {
    return this.wait(NEVER_READY, ms);
  }

  /** Waits until the condition holds, at most `withinMs`. False when the time is over. */
  wait(isReady: () => boolean, withinMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { current } = this;
    if (current === undefined) throw new Error('only a fiber can wait');
    const waiting = this.park(current, this.nowMs + withinMs, isReady);
    this.onYield();
    return waiting;
  }

  /** Never resolves. */
  async stop(): Promise<never> {
    this.onYield();
    return new Promise<never>(() => undefined);
  }

  /** Stops all fibers of the owner, including the caller if it is one of them. */
  async kill(owner: Owner): Promise<void> {
    for (let index = this.parked.length - 1; index >= 0; index -= 1) {
      if (this.parked[index]?.fiber.owner === owner) this.parked.splice(index, 1);
    }
    if (this.current?.owner === owner) await this.stop();
  }

  /** No fiber of the owner continues before this time is over. */
  freeze(owner: Owner, ms: number): void {
    this.frozenUntilMs.set(owner, this.nowMs + ms);
  }

  /**
   * Runs until no fiber can continue, or until `beforeJump` ends the life.
   * @param beforeJump gets the time of the next fiber when none is ready; may return an earlier
   *   time
   * @returns false if something repeats without end
   * @throws the error of a fiber
   */
  async run(beforeJump: (toMs: number) => Promise<number>): Promise<boolean> {
    for (;;) {
      const next = this.pickReady() ?? (await this.pickLater(beforeJump));
      if (next === undefined) return true;
      await this.giveTurn(next);
      if (this.failure !== undefined) throw this.failure.error;
      this.turns += 1;
      if (this.turns > TURNS_MAX) return false;
    }
  }

  private park(fiber: Fiber, atMs: number, isReady: () => boolean): Promise<boolean> {
    return new Promise((resume) => this.parked.push({ fiber, atMs, isReady, resume }));
  }

  private async giveTurn(next: Parked): Promise<void> {
    this.parked.splice(this.parked.indexOf(next), 1);
    this.current = next.fiber;
    const yielded = new Promise<void>((resolve) => {
      this.onYield = resolve;
    });
    next.resume(next.isReady());
    await yielded;
    this.current = undefined;
  }

  private pickReady(): Parked | undefined {
    const ready = this.parked.filter((one) => this.dueAtMs(one) <= this.nowMs);
    if (ready.length < 2) return ready[0];
    const first = ready.slice(0, NEXT_AT_MOST);
    const names = first.map(({ fiber }) => fiber.name);
    if (new Set(names).size < names.length) return first[0];
    const chosen = this.choices.fault(`the turn of "${String(names[0])}"`, names);
    return first.find(({ fiber }) => fiber.name === chosen);
  }

  private async pickLater(
    beforeJump: (toMs: number) => Promise<number>,
  ): Promise<Parked | undefined> {
    const dueMs = Math.min(...this.parked.map((one) => this.dueAtMs(one)));
    const toMs = await beforeJump(dueMs);
    if (!Number.isFinite(toMs)) return undefined;
    this.nowMs = Math.max(this.nowMs, toMs);
    return this.pickReady();
  }

  private dueAtMs({ fiber, atMs, isReady }: Parked): number {
    const wokenAtMs = isReady() ? this.nowMs : atMs;
    return Math.max(wokenAtMs, this.frozenUntilMs.get(fiber.owner) ?? 0);
  }
}
