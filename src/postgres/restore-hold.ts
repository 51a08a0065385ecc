// What a stop for a restore holds up (decision 127): predicates of statements that end a created intent, or read one.
import { IS_FOR_RESTORE } from './payout-stops';

/** Whether a stop is in force because a database was, or may have been, put back: nothing expires then, nothing is cancelled. */
export const IS_RESTORE_STOP_IN_FORCE = `exists (
  select from payout_stops where ended_at is null and ${IS_FOR_RESTORE})`;

/**
 * Whether Postgres may have forgotten that the intent `i` was paid: it is older than a stop for a restore, or it may repeat a payment
 * that was lost. Then the provider is asked by key before anything is sent, and before the intent ends unpaid.
 */
export const MUST_ASK_PROVIDER = `(i.must_ask_provider or exists (
  select from payout_stops where ${IS_FOR_RESTORE} and at >= i.created_at))`;
