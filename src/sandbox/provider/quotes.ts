// The quotes of the sandbox provider: what the payee of a scanned code would get. A quote moves no
// money. Quotes are in memory only, so after a restart an order with one is refused.
import { createHash, randomUUID } from 'node:crypto';
import type { Corridor } from '../../corridors/names';
import type { FailureCode } from '../../domain/payouts/permissions';
import { parseQrPayload, type QrPayload } from '../../domain/qr/payload';
import { isQrRejection } from '../../domain/qr/rejection';
import type { Clock } from '../../ports/clock';
import { scenarioFor } from '../scenarios';
import { localFor, rateFor, type WireLocal } from './local-amounts';
import { NOBODY, payeeOf, type Payee } from './payees';

/** Beyond this many the oldest is forgotten. */
const QUOTES_MAX = 100_000;

export interface QuoteRequest {
  readonly corridor: Corridor;
  readonly amountUsdCents: number;
  /** Only its hash is kept. */
  readonly qrPayload: string;
}

/** As on the wire. */
export interface Quote {
  readonly quote_id: string;
  readonly payee: Payee;
  readonly local: WireLocal;
  readonly rate: string;
  readonly expires_at: string;
}

interface Kept {
  /** Stands for corridor, amount and code. */
  readonly subject: string;
  readonly local: WireLocal;
  readonly expiresAtMs: number;
}

export type Quotes = ReturnType<typeof createQuotes>;

export function createQuotes(clock: Clock) {
  const kept = new Map<string, Kept>();
  return {
    quote(request: QuoteRequest): Quote | { readonly refused: FailureCode } {
      const { corridor, amountUsdCents, qrPayload } = request;
      const code = parseQrPayload(qrPayload, corridor);
      if (isQrRejection(code)) return { refused: 'payee_unknown' };
      const { quoteLivesMs, hasPayeeName } = scenarioFor(amountUsdCents);
      const local = amountIn(code) ?? localFor(corridor, amountUsdCents);
      const expiresAtMs = clock.now().getTime() + quoteLivesMs;
      const id = `quote_${randomUUID()}`;
      kept.set(id, { subject: subjectOf(request), local, expiresAtMs });
      forgetOldest(kept);
      return {
        quote_id: id,
        payee: hasPayeeName ? payeeOf(code) : NOBODY,
        local,
        rate: rateFor(corridor),
        expires_at: new Date(expiresAtMs).toISOString(),
      };
    },
    /** Undefined for an unknown quote, one that has expired, and one of another order. */
    localOf(id: string, request: QuoteRequest): WireLocal | undefined {
      const quote = kept.get(id);
      const isIts = quote?.subject === subjectOf(request);
      return isIts && clock.now().getTime() < quote.expiresAtMs ? quote.local : undefined;
    },
  };
}

/** The amount that the code itself holds. */
export function amountIn({ amountMinorUnits, currency }: QrPayload): WireLocal | undefined {
  if (amountMinorUnits === null) return undefined;
  return { currency: currency.code === 'THB' ? 'THB' : 'VND', amount: amountMinorUnits };
}

function subjectOf({ corridor, amountUsdCents, qrPayload }: QuoteRequest): string {
  const digest = createHash('sha256').update(qrPayload).digest('hex');
  return `${corridor} ${String(amountUsdCents)} ${digest}`;
}

/** A map keeps the order in which its entries were added. */
function forgetOldest(kept: Map<string, Kept>): void {
  const [oldest] = kept.keys();
  if (kept.size > QUOTES_MAX && oldest !== undefined) kept.delete(oldest);
}
