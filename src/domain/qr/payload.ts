// Reads a scanned payment code (decisions 20 and 32): strictly, so that no code has two readings, and purely, so that
// the API and the checkout page read it alike.
import type { Corridor } from '../corridor';
import { QR_PAYLOAD_MAX_BYTES } from '../limits';
import { type QrCurrency, readMinorUnits } from './amount';
import { crcOf, utf8Bytes } from './crc';
import { type DataObjects, readDataObjects, requiredValue } from './objects';
import { isQrRejection, qrRejection, type QrRejection, QrRejected } from './rejection';
import { findScheme, type QrPayee, readPayee } from './schemes';

export interface QrPayload {
  readonly corridor: Corridor;
  readonly currency: QrCurrency;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  /** `static` codes are shown to many payers, `dynamic` ones to one; null where the code does not say. */
  readonly initiation: 'static' | 'dynamic' | null;
  /** Null where the payer is to name the amount. */
  readonly amountMinorUnits: number | null;
  /** What the maker of the code wrote there. Nobody has verified it. */
  readonly merchant: { readonly name: string | null; readonly city: string | null };
  readonly payee: QrPayee;
  /** The text as scanned, for the provider. */
  readonly raw: string;
}

const PAYLOAD_FORMAT = '000201';
const CRC_ID = '63';
const CRC_CHARACTERS = 4;
const CRC_HEADER = `${CRC_ID}04`;

/** Tip or convenience indicator, fixed fee, fee in per cent. */
const FEE_IDS = ['55', '56', '57'];

/** EMVCo's own templates, opened for their form alone. Those of other schemes stay shut: their inside is not ours to judge. */
const ADDITIONAL_DATA_ID = '62';
const ALTERNATE_LANGUAGE_ID = '64';

const ASCII_ONLY = /^[\x20-\x7e]+$/;
const CONTROL = /\p{Cc}/u;

/** The payload of a code for this corridor. Never throws, whatever the text. */
export function parseQrPayload(text: string, corridor: Corridor): QrPayload | QrRejection {
  const result = readQrPayload(text);
  if (isQrRejection(result) || result.corridor === corridor) return result;
  return qrRejection('wrong_corridor');
}

/** The same for whatever corridor the code belongs to. Never throws, whatever the text. */
export function readQrPayload(text: string): QrPayload | QrRejection {
  try {
    return readPayload(text);
  } catch (error) {
    if (error instanceof QrRejected) return qrRejection(error.code);
    throw error;
  }
}

function readPayload(text: string): QrPayload {
  requireEnvelope(text);
  const root = readDataObjects(text);
  requireCrcLast(root);
  requireCharacters(root);
  requireTemplates(root);
  const currency = requiredValue(root, '53', /^\d{3}$/);
  const country = requiredValue(root, '58', /^[A-Z]{2}$/);
  const scheme = findScheme(root, currency, country);
  return {
    corridor: scheme.corridor,
    currency: scheme.currency,
    country,
    initiation: readInitiation(root),
    amountMinorUnits: readAmount(root, scheme.currency),
    merchant: { name: root.get('59') ?? null, city: root.get('60') ?? null },
    payee: readPayee(root, scheme),
    raw: text,
  };
}

/** What is known before an object is read. The check value comes first: a misread code is told from one that was made wrong. */
function requireEnvelope(text: string): void {
  const isLonger = text.length > QR_PAYLOAD_MAX_BYTES;
  if (isLonger || utf8Bytes(text).length > QR_PAYLOAD_MAX_BYTES) throw new QrRejected('too_long');
  if (!text.startsWith(PAYLOAD_FORMAT)) throw new QrRejected('not_a_payment_code');
  const checked = text.slice(0, -CRC_CHARACTERS);
  if (!text.isWellFormed() || !checked.endsWith(CRC_HEADER)) throw new QrRejected('malformed');
  if (text.slice(-CRC_CHARACTERS) !== crcOf(checked)) throw new QrRejected('crc_wrong');
}

/** The check value must be the last object, and not the end of another one's value that looks like it. */
function requireCrcLast(root: DataObjects): void {
  const [id, value] = [...root].at(-1) ?? [];
  if (id !== CRC_ID || value?.length !== CRC_CHARACTERS) throw new QrRejected('malformed');
}

/** EMVCo: printable ASCII everywhere but in the merchant's name in another language. So a name cannot pretend to be another. */
function requireCharacters(root: DataObjects): void {
  for (const [id, value] of root) {
    const isAllowed = id === ALTERNATE_LANGUAGE_ID ? !CONTROL.test(value) : ASCII_ONLY.test(value);
    if (!isAllowed) throw new QrRejected('malformed');
  }
}

function requireTemplates(root: DataObjects): void {
  for (const id of [ADDITIONAL_DATA_ID, ALTERNATE_LANGUAGE_ID]) {
    readDataObjects(root.get(id) ?? '');
  }
}

function readInitiation(root: DataObjects): 'static' | 'dynamic' | null {
  if (!root.has('01')) return null;
  return requiredValue(root, '01', /^1[12]$/) === '11' ? 'static' : 'dynamic';
}

/** A fee would make the sum another than the amount, and the payer has agreed to an amount in USD already. */
function readAmount(root: DataObjects, currency: QrCurrency): number | null {
  if (FEE_IDS.some((id) => root.has(id))) throw new QrRejected('fee_asked');
  const amount = root.get('54');
  return amount === undefined ? null : readMinorUnits(amount, currency);
}
