// The health of providers in tests: real, in time that stands still.
import { byCorridor, type Corridor } from '../../../src/corridors/names';
import {
  BREAKER_UNANSWERED_MIN,
  PAYOUT_AT_ONCE_TIMEOUT_MS,
} from '../../../src/domain/payouts/limits';
import {
  createProviderHealth,
  type ProviderHealth,
} from '../../../src/domain/payouts/provider-health';

export function providerHealth(
  onPause: (ms: number) => void = () => undefined,
): Readonly<Record<Corridor, ProviderHealth>> {
  const pause = (ms: number) => {
    onPause(ms);
    return Promise.resolve();
  };
  const of = () => createProviderHealth({ elapsedMs: () => 0, pause, onBreaker: () => undefined });
  return byCorridor(() => of());
}

/** The provider has answered its last order slowly. */
export function recordSlow(health: ProviderHealth): void {
  health.record(true, PAYOUT_AT_ONCE_TIMEOUT_MS);
}

/** The provider has answered none of its last orders; by default the breaker opens. */
export function recordSilent(health: ProviderHealth, orders = BREAKER_UNANSWERED_MIN): void {
  for (let n = 0; n < orders; n += 1) health.recordUnanswered(`payer ${String(n)}`);
}
