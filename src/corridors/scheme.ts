// What a corridor's folder contains, and what its code reads from a payment code (decision 20).
import type { QrCurrency } from '../domain/qr/amount';
import { type DataObjects, requiredValue } from '../domain/qr/objects';

/** The payee in the terms of the scheme. Ids are text, because they begin with zeros. */
export type QrPayee =
  | {
      readonly kind: 'proxy';
      readonly proxyType: 'mobile' | 'national_id' | 'ewallet' | 'bank_account';
      readonly proxyId: string;
    }
  | {
      readonly kind: 'biller';
      readonly billerId: string;
      readonly reference1: string;
      readonly reference2: string | null;
    }
  | {
      readonly kind: 'bank';
      readonly bankId: string;
      readonly accountType: 'account' | 'card' | 'merchant';
      /** For `card` a full card number. Never log or show it. */
      readonly accountId: string;
    };

/** What a payee may be. Settings say which of them a corridor pays. */
export const PAYEE_KINDS = [
  ...(['mobile', 'national_id', 'ewallet', 'bank_account', 'biller'] as const),
  ...(['account', 'card', 'merchant'] as const),
] as const;

export type PayeeKind = (typeof PAYEE_KINDS)[number];

export function kindOf(payee: QrPayee): PayeeKind {
  if (payee.kind === 'biller') return 'biller';
  return payee.kind === 'proxy' ? payee.proxyType : payee.accountType;
}

/** The corridor's national QR scheme. */
export interface CorridorScheme {
  readonly currency: QrCurrency;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  /** How a code shows that it belongs to the scheme, and its payee. */
  readonly templates: readonly PayeeTemplate[];
  /** A code without a real payee, for partners without a merchant: documents show it. */
  readonly sampleCode: string;
}

export interface PayeeTemplate {
  readonly id: string;
  /** The globally unique identifier: object 00, the first of the template. */
  readonly schemeId: string;
  readonly read: (template: DataObjects) => QrPayee;
}

/** @throws QrRejected `payee_unclear` unless the object has this form */
export function payeeValue(objects: DataObjects, id: string, form: RegExp): string {
  return requiredValue(objects, id, form, 'payee_unclear');
}
