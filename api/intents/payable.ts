// What a confirm is checked for before it authorizes, beside the form of its code (decision 154).
// The answers are 400, and the token stays usable.
import { kindOf } from '../../src/corridors/scheme';
import type { DomainError } from '../../src/domain/errors';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import type { QrPayload } from '../../src/domain/qr/payload';
import type { ApiSettings, CodeRules } from '../context';
import { invalid } from './schema';

export const amountAboveMaximum = (): DomainError =>
  invalid('amount_usd_cents is above the maximum of the corridor.');

/** @throws DomainError validation_failed */
export function requirePayable(
  { corridor, amountUsdCents }: PaymentIntent,
  code: QrPayload | undefined,
  { maximumUsdCents, codeRules, needsLocal }: ApiSettings,
): void {
  if (amountUsdCents > maximumUsdCents[corridor]) throw amountAboveMaximum();
  if (needsLocal[corridor] && (code?.amountMinorUnits ?? null) === null)
    throw invalid('qr_payload must have an amount for this corridor.');
  if (code !== undefined) requireAllowed(code, codeRules[corridor]);
}

function requireAllowed(code: QrPayload, { payeeKinds, isCodeAmountAllowed }: CodeRules): void {
  if (!payeeKinds.includes(kindOf(code.payee)))
    throw invalid('qr_payload names a kind of payee that is not paid in this corridor.');
  if (code.amountMinorUnits !== null && !isCodeAmountAllowed)
    throw invalid('qr_payload has an amount, which is not accepted in this corridor.');
}
