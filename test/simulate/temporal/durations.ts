// Durations and instants as the protocol writes them.
import type { google } from '@temporalio/proto';

/** Undefined for a missing or zero duration. */
export function msOf(duration: google.protobuf.IDuration | null | undefined): number | undefined {
  const ms = Number(duration?.seconds ?? 0) * 1_000 + (duration?.nanos ?? 0) / 1e6;
  return ms > 0 ? ms : undefined;
}

export function timestampOf(ms: number) {
  return { seconds: Math.floor(ms / 1_000), nanos: (ms % 1_000) * 1e6 };
}
