// The start of a payment's workflow, without a row.
import { usdCents } from '../../../src/domain/money';
import { knownPartnerId } from '../../../src/postgres/intents/row';
import { anIntentId } from '../builders';
import { NOON, secondsAfter } from '../clock';

export type TestPaymentStart = ReturnType<typeof aPaymentStart>;

export function aPaymentStart() {
  return {
    intentId: anIntentId(),
    partnerId: knownPartnerId('acme'),
    amountUsdCents: usdCents(1_250),
    corridor: 'th_qrpay' as const,
    status: 'created' as const,
    createdAtMs: NOON.getTime(),
    expiresAtMs: secondsAfter(NOON, 600).getTime(),
  };
}
