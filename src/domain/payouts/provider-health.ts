// What one worker process knows of the provider of a corridor: whether it answers fast, how many
// payouts wait for it within workflow tasks, and whether it answers at all.
import {
  BREAKER_PAYERS_MIN,
  BREAKER_PROBE_EVERY_MS,
  BREAKER_UNANSWERED_MIN,
  PAYOUT_AT_ONCE_TIMEOUT_MS,
  PAYOUT_DELAYED_MAX_SECONDS,
  PAYOUTS_IN_TASKS_MAX,
  PROVIDER_FAST_ORDERS_MIN,
} from './limits';

export interface ProviderHealth {
  /**
   * Takes a slot for a first order within a workflow task. Returns false if the provider was slow
   * lately, the breaker is open, or all slots are in use. It never waits.
   */
  takeTaskSlot(): boolean;
  releaseTaskSlot(): void;
  /** While the breaker is open only some first orders may be sent, to learn of an answer. */
  isBreakerOpen(): boolean;
  /**
   * Waits for the breaker to close, or to let this first order through. Returns false once
   * PAYOUT_DELAYED_MAX_SECONDS have passed on the caller's stopwatch.
   */
  untilLetThrough(delayedMs: () => number): Promise<boolean>;
  /**
   * Records a call to the provider. Any complete answer closes the breaker, also that to a query.
   * @param orderMs how long an order took, until its answer or its timeout
   */
  record(isAnswered: boolean, orderMs?: number): void;
  /** Records that a payment's first attempt was left without an answer. */
  recordUnanswered(payer: string): void;
}

interface Surroundings {
  readonly elapsedMs: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly onBreaker: (isOpen: boolean) => void;
}

/** A new process takes the provider for fast: its slots within tasks bound what that may cost. */
export function createProviderHealth(surroundings: Surroundings): ProviderHealth {
  const breaker = createBreaker(surroundings);
  let fastInARow = PROVIDER_FAST_ORDERS_MIN;
  let inTasks = 0;
  return {
    takeTaskSlot() {
      const isFast = fastInARow >= PROVIDER_FAST_ORDERS_MIN;
      if (!isFast || breaker.isOpen() || inTasks >= PAYOUTS_IN_TASKS_MAX) return false;
      inTasks += 1;
      return true;
    },
    releaseTaskSlot() {
      inTasks -= 1;
    },
    isBreakerOpen: () => breaker.isOpen(),
    async untilLetThrough(delayedMs) {
      while (delayedMs() < PAYOUT_DELAYED_MAX_SECONDS * 1_000) {
        if (breaker.takeProbe()) return true;
        await surroundings.pause(BREAKER_PROBE_EVERY_MS);
      }
      return false;
    },
    record(isAnswered, orderMs) {
      if (orderMs !== undefined)
        fastInARow = orderMs < PAYOUT_AT_ONCE_TIMEOUT_MS ? fastInARow + 1 : 0;
      if (isAnswered) breaker.close();
    },
    recordUnanswered: (payer) => breaker.countUnanswered(payer),
  };
}

function createBreaker({ elapsedMs, onBreaker }: Surroundings) {
  const payers = new Set<string>();
  let unanswered = 0;
  let isOpen = false;
  let probedAtMs = -Infinity;
  return {
    isOpen: () => isOpen,
    close() {
      unanswered = 0;
      payers.clear();
      if (isOpen) onBreaker(false);
      isOpen = false;
    },
    countUnanswered(payer: string) {
      unanswered += 1;
      if (payers.size < BREAKER_PAYERS_MIN) payers.add(payer);
      const isDue = unanswered >= BREAKER_UNANSWERED_MIN && payers.size >= BREAKER_PAYERS_MIN;
      if (isDue && !isOpen) onBreaker(true);
      isOpen ||= isDue;
    },
    /** Returns true for each order while closed, and once a second while open. */
    takeProbe() {
      if (!isOpen) return true;
      if (elapsedMs() - probedAtMs < BREAKER_PROBE_EVERY_MS) return false;
      probedAtMs = elapsedMs();
      return true;
    },
  };
}
