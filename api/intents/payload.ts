// The scanned code of a request and its quote: parsed for the intent's corridor, and stored for the
// confirm that they came with (decisions 20 and 155). Never log them: a code may contain a card
// number, and a quote names the payee.
import type { ApiContext, ApiDependencies, ApiSettings } from '../context';
import type { VerifiedSession } from '../auth/session-token';
import type { Corridor } from '../../src/corridors/names';
import { DomainError } from '../../src/domain/errors';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import type { LocalAmount } from '../../src/domain/money';
import { parseQrPayload, type QrPayload } from '../../src/domain/qr/payload';
import { isQrRejection } from '../../src/domain/qr/rejection';
import type { ConfirmPayload } from '../../src/ports/partners';
import { invalid, parseConfirmRequest, requireJson } from './schema';

/** Error details never contain parts of the code. @throws DomainError `validation_failed` */
export function readCode(scanned: string, corridor: Corridor): QrPayload {
  const read = parseQrPayload(scanned, corridor);
  if (!isQrRejection(read)) return read;
  const { rejection, sentence } = read;
  throw new DomainError('validation_failed', { detail: sentence, reason: `qr_${rejection}` });
}

/** The amount in the code; null if it has none. */
export const localIn = ({ currency, amountMinorUnits: minor }: QrPayload): LocalAmount | null =>
  minor === null ? null : { currency: currency.code, minor };

type ConfirmBody = ReturnType<typeof parseConfirmRequest>;

/** What came with a confirm, and its code as read. */
export interface ReadPayload extends ConfirmPayload {
  readonly code: QrPayload;
}

/** A body with a code must be declared as JSON. Other bodies need no media type. */
export function readBody(ctx: ApiContext): ConfirmBody {
  const body = parseConfirmRequest(ctx.state.body);
  if (body.qr_payload !== undefined) requireJson(ctx.req);
  return body;
}

/** @throws DomainError `validation_failed` */
export function requirePayload(
  { qr_payload: scanned, quote_id: quoteId, shown }: ConfirmBody,
  corridor: Corridor,
  { isQrPayloadRequired, isQuoteRequired }: ApiSettings,
): ReadPayload | undefined {
  if (scanned === undefined && isQrPayloadRequired[corridor])
    throw invalid('qr_payload is required for this corridor.');
  if (quoteId === undefined && isQuoteRequired[corridor])
    throw invalid('quote_id is required for this corridor.');
  if (scanned === undefined) return undefined;
  const code = readCode(scanned, corridor);
  return { code, qrPayload: code.raw, local: localIn(code), quoteId, shown };
}

/**
 * Stores code and quote before the workflow is called, so that any authorization by this token
 * finds them. They never enter the workflow. @throws DomainError
 */
export async function storePayload(
  { tokens }: Pick<ApiDependencies, 'tokens'>,
  { intent, session, payload }: Confirmed,
): Promise<void> {
  if (payload === undefined) return;
  const stored = await tokens.storePayload(intent.intentId, session.use, payload);
  if (stored !== 'stored' && stored !== 'not_created') throw rejectPayload(stored);
}

interface Confirmed {
  readonly intent: PaymentIntent;
  readonly session: Pick<VerifiedSession, 'use'>;
  readonly payload: ReadPayload | undefined;
}

const REJECTIONS = {
  other_payload: [
    'conflict',
    'This qr_payload or quote_id differs from the one that was sent first.',
  ],
  quote_expired: ['conflict', 'The quote has expired.'],
  quote_unknown: ['validation_failed', 'quote_id is not a quote of this payment and qr_payload.'],
  shown_differs: ['validation_failed', 'shown differs from the quote.'],
} as const;

export function rejectPayload(reason: keyof typeof REJECTIONS): DomainError {
  const [code, detail] = REJECTIONS[reason];
  return new DomainError(code, { detail, reason });
}
