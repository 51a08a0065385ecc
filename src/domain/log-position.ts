// Position of Postgres' write-ahead log, and whether a part that it once held is gone: Postgres was
// restored, or failed over with a loss (decision 127).

/** A stored position. Its size does not grow with the number of failovers. */
export interface LogMark {
  /** The cluster's id. A restored dump has another. */
  readonly cluster: string;
  readonly timeline: number;
  /** As Postgres writes it, such as `16/B374D848`. */
  readonly lsn: string;
  /** Where this timeline left the one before; null for the first, and if it may not be read. */
  readonly branchedAt: string | null;
}

export interface LogPosition extends LogMark {
  /** The timelines that this one descends from; null if they may not be read. */
  readonly ancestors: readonly Ancestor[] | null;
}

export interface Ancestor {
  readonly timeline: number;
  readonly leftAt: string;
}

/** Whether the log has lost something that it had written up to the mark. */
export function isGone(mark: LogMark, now: LogPosition): boolean {
  if (now.cluster !== mark.cluster) return true;
  if (now.timeline === mark.timeline) {
    return isBefore(now.lsn, mark.lsn) || isAnotherBranch(mark, now);
  }
  // Without its ancestors, a later timeline proves a loss only until it has grown past the mark.
  if (now.ancestors === null) return now.timeline < mark.timeline || isBefore(now.lsn, mark.lsn);
  const ancestor = now.ancestors.find(({ timeline }) => timeline === mark.timeline);
  return ancestor === undefined || isBefore(ancestor.leftAt, mark.lsn);
}

export function markOf({ cluster, timeline, lsn, branchedAt }: LogPosition): LogMark {
  return { cluster, timeline, lsn, branchedAt };
}

/** Two restores from one backup may give their timelines the same number. */
function isAnotherBranch(mark: LogMark, now: LogMark): boolean {
  return mark.branchedAt !== null && now.branchedAt !== null && mark.branchedAt !== now.branchedAt;
}

function isBefore(lsn: string, other: string): boolean {
  return bytesOf(lsn) < bytesOf(other);
}

function bytesOf(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
