// What confirms and requests for a quote are checked for, beside the form of the code (decision
// 154). The answers are 400, and the token stays usable.
import { kindOf } from '../../src/corridors/scheme';
import type { DomainError } from '../../src/domain/errors';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import type { QrPayload } from '../../src/domain/qr/payload';
import type { ApiSettings } from '../context';
import { invalid } from './schema';

export const amountAboveMaximum = (): DomainError =>
  invalid('amount_usd_cents is above the maximum of the corridor.');

/**
 * A quote says what the payee gets, whether its code has an amount or not.
 * @throws DomainError validation_failed
 */
export function requirePayable(
  { corridor, amountUsdCents }: PaymentIntent,
  code: QrPayload | undefined,
  { maximumUsdCents, codeRules, needsLocal }: ApiSettings,
  isQuoted: boolean,
): void {
  if (amountUsdCents > maximumUsdCents[corridor]) throw amountAboveMaximum();
  const { payeeKinds, isCodeAmountAllowed } = codeRules[corridor];
  if (code !== undefined && !payeeKinds.includes(kindOf(code.payee)))
    throw invalid('qr_payload names a kind of payee that is not paid in this corridor.');
  if (!isQuoted) requireAmount(code, needsLocal[corridor], isCodeAmountAllowed);
}

function requireAmount(code: QrPayload | undefined, isNeeded: boolean, isAllowed: boolean): void {
  const hasAmount = (code?.amountMinorUnits ?? null) !== null;
  if (isNeeded && !hasAmount) throw invalid('qr_payload must have an amount for this corridor.');
  if (hasAmount && !isAllowed)
    throw invalid('qr_payload has an amount, which is not accepted in this corridor.');
}
