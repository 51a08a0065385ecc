// Stops of payouts for people: one sentence each, and one about the current state.
import type { PayoutStop } from '../../postgres/payouts/stops';
import { toTheSecond, WIDTH, wrapped } from '../layout';

export function stopLines(stops: readonly PayoutStop[], currentState: string): readonly string[] {
  return [...stops.map(sentenceOf), currentState].flatMap((sentence) => wrapped(sentence, WIDTH));
}

export function inForce({ ended_at: endedAt }: PayoutStop): boolean {
  return endedAt === null;
}

const WHY = {
  operator: '',
  restore: 'for a restore ',
  temporal_restore: 'for a restore of Temporal ',
  watch_gap: 'until the books are reconciled ',
} as const;

function sentenceOf({ at, actor, reason, kind, ...end }: PayoutStop): string {
  const stopped = `Stopped ${WHY[kind]}at ${toTheSecond(at)} by ${actor}: ${reason}`;
  if (end.ended_at === null) return stopped;
  return `${stopped} - allowed at ${toTheSecond(end.ended_at)} by ${end.ended_by ?? ''}: ${end.ended_reason ?? ''}`;
}
