// Derives ids from the secret installation key: the installation's id, and the intent ids of
// creates with an idempotency key (decision 14).
import { createHmac } from 'node:crypto';
import { ID_RANDOM_BYTES, makeIntentId, type IntentId, type PartnerId } from '../domain/ids';

export type Installation = ReturnType<typeof createInstallation>;

const INSTALLATION_ID_CHARACTERS = 32;
const PAYER_CHARACTERS = 20;
/** In ids that are not derived, these bytes hold the creation time. */
const TIME_BYTES = 6;

/** @param key `INSTALLATION_KEY`: 32 bytes, created once per installation and never changed */
export function createInstallation(key: Uint8Array) {
  const derive = (...parts: readonly string[]) =>
    createHmac('sha256', key).update(parts.join('\0')).digest();
  return {
    /** 32 hex characters. Not a secret: workflow histories contain it. */
    id: derive('installation').toString('hex').slice(0, INSTALLATION_ID_CHARACTERS),
    /** 20 hex characters that stand for a payer at a provider, who cannot be computed from them. */
    hashPayer: (payer: string) => derive('payer', payer).toString('hex').slice(0, PAYER_CHARACTERS),
    /**
     * Returns the same id for the same partner and key, so workflow and payout key stay the same
     * even if the database loses the row. The id cannot be computed without the installation key.
     */
    intentIdOf(partnerId: PartnerId, idempotencyKey: string): IntentId {
      // Partner ids and keys are printable ASCII, so they cannot contain the separator NUL.
      const digest = derive('intent', partnerId, idempotencyKey);
      const random = digest.subarray(TIME_BYTES, TIME_BYTES + ID_RANDOM_BYTES);
      return makeIntentId(digest.readUIntBE(0, TIME_BYTES), random);
    },
  };
}
