// Reads what a webhook says of the payout from JSON (protocol 7.2).
import { asObject, asText, asWholeNumber } from '../intent';

/** What was known of the payout when the event happened; null where it was not. */
export interface Payout {
  /** The payout provider's own id of the payment. */
  readonly reference: string | null;
  /** What the payee got; until the provider says that, what was ordered. */
  readonly local: LocalAmount | null;
  /** Why the intent failed, such as `payee_closed`. Codes may be added. */
  readonly code: string | null;
}

export interface LocalAmount {
  /** ISO 4217: `THB` or `VND`. */
  readonly currency: string;
  /** In minor units: satang, or whole dong. */
  readonly amount: number;
}

/** @throws TypeError that names the missing or invalid member */
export function parsePayout(value: unknown): Payout {
  const members = asObject(value);
  const text = (name: string) => (members[name] === null ? null : asText(members, name));
  const local = members['local'] === null ? null : parseLocal(members['local']);
  return { reference: text('reference'), local, code: text('code') };
}

function parseLocal(value: unknown): LocalAmount {
  const members = asObject(value);
  return { currency: asText(members, 'currency'), amount: asWholeNumber(members, 'amount') };
}
