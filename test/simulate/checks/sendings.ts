// The rules for sending, checked against every call: a provider that executed a key twice would pay
// for each broken rule.
import {
  PAYOUT_ATTEMPT_TIMEOUT_MS,
  PAYOUT_SENT_WITHIN_MS,
} from '../../../src/domain/payouts/limits';
import type { IntentFacts } from '../../chaos/report/evidence';
import { problems, checkEach, type Finding } from '../../chaos/report/finding';

/** One call to the provider, with the time at which it was sent. */
export interface ProviderCall {
  readonly atMs: number;
  readonly call: 'pay' | 'find';
  /** The outcome that our side received; `unknown` without an answer. */
  outcome: string;
  /**
   * When our side received the answer or timed out; for a process that died, when it would have
   * timed out.
   */
  endedAtMs: number;
}

/** A new call; a process that stays alive sets an earlier end. */
export function callAt(atMs: number, call: ProviderCall['call']): ProviderCall {
  return { atMs, call, outcome: 'unknown', endedAtMs: atMs + PAYOUT_ATTEMPT_TIMEOUT_MS };
}

export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

export const QUERY_FIRST = 'nothing is sent again before the provider was queried';
/** Tolerance between a commit of another process and the next action of this one. */
const GRAIN_MS = 5;
/** The largest difference between the clocks of Postgres and provider. */
export const SKEW_MS = 2_000;

interface Circumstances {
  readonly rows: Iterable<IntentFacts>;
  readonly stops: readonly Period[];
  /**
   * How far the clock of Postgres jumped ahead: the gap between two sendings is shorter by that
   * (decision 105).
   */
  readonly leapMs: number;
  /** If not, and where a loss went unnoticed, the provider refuses what is sent again. */
  readonly isFoundByKey: boolean;
}

export function checkSendings(
  calls: readonly ProviderCall[],
  { rows, stops, leapMs, isFoundByKey }: Circumstances,
): readonly Finding[] {
  const [row] = rows;
  const end = row?.transitions.find(({ from }) => from === 'authorized');
  const sendings = calls.flatMap((one, index) => (one.call === 'pay' ? [{ ...one, index }] : []));
  return [
    checkEach(QUERY_FIRST, sendings, ({ index }) => {
      const before = calls.slice(0, index);
      const last = before.at(-1);
      const isFirst = !before.some(({ call }) => call === 'pay');
      return problems([
        !isFirst && last?.outcome !== 'not_found' && (isFoundByKey || last?.call !== 'find'),
        `it was sent again after ${String(last?.call)} was answered ${String(last?.outcome)}`,
      ]);
    }),
    checkEach('one sending at a time', sendings, ({ atMs, index }) => {
      const before = calls.slice(0, index).filter(({ call }) => call === 'pay');
      return problems([
        before.some(({ endedAtMs }) => endedAtMs - leapMs > atMs),
        'it was sent while another sending could still be on its way',
      ]);
    }),
    checkEach('nothing is sent after a terminal status', sendings, ({ atMs }) =>
      problems([
        end !== undefined && end.to !== 'captured' && atMs > end.atMs + GRAIN_MS,
        `it was sent after it was ${String(end?.to)}`,
      ]),
    ),
    checkEach('nothing is sent while payouts are stopped', sendings, ({ atMs }) =>
      problems([
        stops.some(
          ({ fromMs, toMs }) =>
            atMs > fromMs + SKEW_MS + PAYOUT_SENT_WITHIN_MS && atMs < toMs - SKEW_MS,
        ),
        'it was sent during a stop, by an attempt that began during the stop',
      ]),
    ),
  ];
}
