// The payees of the sandbox provider: a small book in place of the banks. A code always names the
// same payee of it.
import { createHash } from 'node:crypto';
import type { Corridor } from '../../corridors/names';
import type { QrPayload } from '../../domain/qr/payload';

/** As on the wire. `name_from` is `bank`, since the book stands for the payees' banks. */
export interface Payee {
  readonly name: string | null;
  readonly name_from: 'bank' | 'code' | null;
  readonly bank: string | null;
}

const BOOK: Readonly<Record<Corridor, readonly (readonly [name: string, bank: string])[]>> = {
  th_qrpay: [
    ['SOMCHAI JAIDEE', 'KASIKORNBANK'],
    ['MALEE SRISUK', 'BANGKOK BANK'],
    ['BAAN NOODLES CO LTD', 'SIAM COMMERCIAL BANK'],
    ['ANONG RATTANA', 'KRUNG THAI BANK'],
  ],
  vn_qrpay: [
    ['NGUYEN VAN AN', 'VIETCOMBANK'],
    ['TRAN THI BINH', 'BIDV'],
    ['CONG TY CA PHE SAO', 'TECHCOMBANK'],
    ['LE MINH CHAU', 'VIETINBANK'],
  ],
};

export function payeeOf({ corridor, payee }: QrPayload): Payee {
  const digest = createHash('sha256').update(JSON.stringify(payee)).digest();
  const book = BOOK[corridor];
  const [name = null, bank = null] = book[digest.readUInt32BE() % book.length] ?? [];
  return { name, name_from: 'bank', bank };
}

/** For an amount whose quote names nobody. */
export const NOBODY: Payee = { name: null, name_from: null, bank: null };
