// What one installation alone can compute: its id, and the intent ids of creates with an idempotency key (decision 14).
import { createHmac } from 'node:crypto';
import { ID_RANDOM_BYTES, makeIntentId, type IntentId, type PartnerId } from '../domain/ids';

export interface Installation {
  /** 32 hex characters. No secret: histories hold it. */
  readonly id: string;
  /**
   * The same partner and key lead to the same intent, workflow and payout key, also after a database has lost the row.
   * Nobody without the installation key can compute the id.
   */
  intentIdOf(partnerId: PartnerId, idempotencyKey: string): IntentId;
}

const INSTALLATION_ID_CHARACTERS = 32;
/** The bytes of an id that hold the time where it is not derived. */
const TIME_BYTES = 6;

/** @param key `INSTALLATION_KEY`: 32 bytes, made once per installation and never changed */
export function createInstallation(key: Uint8Array): Installation {
  const derive = (...parts: readonly string[]) =>
    createHmac('sha256', key).update(parts.join('\0')).digest();
  return {
    id: derive('installation').toString('hex').slice(0, INSTALLATION_ID_CHARACTERS),
    intentIdOf(partnerId, idempotencyKey) {
      // Neither slugs nor keys contain the separator: keys are printable ASCII.
      const digest = derive('intent', partnerId, idempotencyKey);
      const random = digest.subarray(TIME_BYTES, TIME_BYTES + ID_RANDOM_BYTES);
      return makeIntentId(digest.readUIntBE(0, TIME_BYTES), random);
    },
  };
}
