// Reasons for rejecting a scanned code: a closed set (decision 20). The sentences are shown to
// callers and payers. They are constants, because a code may hold a card number.

const SENTENCES = {
  not_a_payment_code: 'The scanned code is not a payment code.',
  too_long: 'The scanned code is too long for a payment code.',
  malformed: 'The scanned code is malformed.',
  crc_wrong: 'The scanned code was misread or altered: its check value is wrong.',
  duplicate_id: 'The scanned code holds one data object twice.',
  unsupported_scheme: 'The scanned code belongs to no payment scheme that this service pays to.',
  contradictory:
    'The payment scheme, currency and country in the scanned code do not belong together.',
  payee_unclear: 'The scanned code does not name one payee that this service can pay.',
  amount_invalid: 'The amount in the scanned code is not valid.',
  fee_asked: 'The scanned code asks for a tip or a fee, which this service does not pay.',
  wrong_corridor: 'The scanned code belongs to another corridor than the payment.',
} as const;

export type QrRejectionCode = keyof typeof SENTENCES;

export interface QrRejection {
  readonly rejection: QrRejectionCode;
  /** For the body of a 400. */
  readonly sentence: string;
}

export function qrRejection(rejection: QrRejectionCode): QrRejection {
  return { rejection, sentence: SENTENCES[rejection] };
}

export function isQrRejection(result: object): result is QrRejection {
  return 'rejection' in result;
}

/** Thrown inside the parser; it never leaves `readQrPayload`. */
export class QrRejected extends Error {
  readonly code: QrRejectionCode;

  constructor(code: QrRejectionCode) {
    super(code);
    this.name = 'QrRejected';
    this.code = code;
  }
}
