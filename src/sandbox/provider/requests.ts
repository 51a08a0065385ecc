// Reads the requests of the sandbox provider: orders and requests for quotes.
import type { IncomingMessage } from 'node:http';
import { isCorridor, type Corridor } from '../../corridors/names';
import { isUsdCents } from '../../domain/money';
import { HttpRejection, readBody } from '../http-server';
import { membersOf, parseJson, type Members } from '../json-members';
import type { WireLocal } from './local-amounts';
import type { PayoutRequest } from './orders';
import type { QuoteRequest } from './quotes';

const BODY_MAX_BYTES = 16_384;
const KEY = /^[\x21-\x7e]{1,256}$/;

/** Other members are ignored. @throws HttpRejection */
export async function readPayout(request: IncomingMessage): Promise<PayoutRequest> {
  const key = request.headers['idempotency-key'];
  const members = await readMembers(request);
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw new HttpRejection(400, 'Idempotency-Key must be 1 to 256 printable characters.');
  }
  return {
    ...{ key, ...readAmount(members), local: readLocal(members['local']) },
    qrPayload: readText(members, 'qr_payload'),
    quoteId: readText(members, 'quote_id'),
  };
}

/** @throws HttpRejection */
export async function readQuoteRequest(request: IncomingMessage): Promise<QuoteRequest> {
  const members = await readMembers(request);
  const qrPayload = readText(members, 'qr_payload');
  if (qrPayload === null) throw new HttpRejection(400, 'A quote needs qr_payload.');
  return { ...readAmount(members), qrPayload };
}

async function readMembers(request: IncomingMessage): Promise<Members> {
  const body = await readBody(request, BODY_MAX_BYTES);
  return membersOf(parseJson(body.toString()));
}

interface Amount {
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
}

function readAmount({ amount_usd_cents: amountUsdCents, corridor }: Members): Amount {
  if (isUsdCents(amountUsdCents) && isCorridor(corridor)) return { amountUsdCents, corridor };
  throw new HttpRejection(400, 'The body must be JSON with amount_usd_cents and corridor.');
}

/** Null and a missing member are the same. */
function readText(members: Members, name: string): string | null {
  const value = members[name] ?? null;
  if (value === null || typeof value === 'string') return value;
  throw new HttpRejection(400, `${name} must be text.`);
}

function readLocal(value: unknown): WireLocal | null {
  if (value === undefined || value === null) return null;
  const { currency, amount } = membersOf(value);
  const isCurrency = currency === 'THB' || currency === 'VND';
  if (isCurrency && typeof amount === 'number' && Number.isSafeInteger(amount) && amount > 0) {
    return { currency, amount };
  }
  throw new HttpRejection(400, 'local must have a currency and an amount in its minor units.');
}
