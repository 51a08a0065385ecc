// What a provider that executes a key twice would pay for: the rules for sending, held against every call, whatever came of it.
import { PAYOUT_ATTEMPT_TIMEOUT_MS, PAYOUT_SENT_WITHIN_MS } from '../../../src/domain/limits';
import type { IntentFacts } from '../../chaos/report/evidence';
import { faults, judgeEach, type Finding } from '../../chaos/report/finding';

/** One call to the provider, at the moment when it leaves. */
export interface ProviderCall {
  readonly atMs: number;
  readonly call: 'pay' | 'find';
  /** The outcome that our side got; `unknown` where it got none. */
  outcome: string;
  /** When our side got its answer or gave it up; of a process that died meanwhile, when it would have. */
  endedAtMs: number;
}

/** How a call begins; a process that lives ends it earlier. */
export function callAt(atMs: number, call: ProviderCall['call']): ProviderCall {
  return { atMs, call, outcome: 'unknown', endedAtMs: atMs + PAYOUT_ATTEMPT_TIMEOUT_MS };
}

export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Between a statement that another process has committed and what this one does next. */
const GRAIN_MS = 5;
/** How far Postgres' clock may be from that of the provider. */
export const SKEW_MS = 2_000;

interface Circumstances {
  readonly rows: Iterable<IntentFacts>;
  readonly stops: readonly Period[];
  /** By how much Postgres' clock was set forward: the time between two sendings is shorter by that (record 105). */
  readonly leapMs: number;
}

export function checkSendings(
  calls: readonly ProviderCall[],
  { rows, stops, leapMs }: Circumstances,
): readonly Finding[] {
  const [row] = rows;
  const end = row?.transitions.find(({ from }) => from === 'authorized');
  const sendings = calls.flatMap((one, index) => (one.call === 'pay' ? [{ ...one, index }] : []));
  return [
    judgeEach('nothing is sent again before the provider was queried', sendings, ({ index }) => {
      const before = calls.slice(0, index);
      const last = before.at(-1);
      const isFirst = !before.some(({ call }) => call === 'pay');
      return faults([
        !isFirst && last?.outcome !== 'not_found',
        `it was sent again after ${String(last?.call)} was answered ${String(last?.outcome)}`,
      ]);
    }),
    judgeEach('one sending at a time', sendings, ({ atMs, index }) => {
      const before = calls.slice(0, index).filter(({ call }) => call === 'pay');
      return faults([
        before.some(({ endedAtMs }) => endedAtMs - leapMs > atMs),
        'it was sent while another sending could still be on its way',
      ]);
    }),
    judgeEach('nothing is sent once the payment has ended', sendings, ({ atMs }) =>
      faults([
        end !== undefined && end.to !== 'captured' && atMs > end.atMs + GRAIN_MS,
        `it was sent after it was ${String(end?.to)}`,
      ]),
    ),
    judgeEach('nothing is sent while payouts are stopped', sendings, ({ atMs }) =>
      faults([
        stops.some(
          ({ fromMs, toMs }) =>
            atMs > fromMs + SKEW_MS + PAYOUT_SENT_WITHIN_MS && atMs < toMs - SKEW_MS,
        ),
        'it was sent during a stop, by an attempt that cannot have begun before',
      ]),
    ),
  ];
}
