// POST /flow/<intent_id>/quote (decision 155): who would be paid by a scanned code, and how much.
// The corridor's provider is asked. Nothing is authorized, and the token stays unused.
import type { ApiContext, ApiDependencies } from '../context';
import type { Credentials } from '../auth/credentials';
import { findByToken } from '../intents/get';
import { requirePayable } from '../intents/payable';
import { localIn, readCode } from '../intents/payload';
import { parseQuoteRequest, requireJson } from '../intents/schema';
import { byCorridor } from '../../src/corridors/names';
import { DomainError } from '../../src/domain/errors';
import { ID_RANDOM_BYTES, makeQuoteId } from '../../src/domain/ids';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { QUOTES_UNDER_WAY_MAX } from '../../src/domain/payouts/limits';
import type { FailureCode } from '../../src/domain/payouts/permissions';
import { checkTerms, type CostBounds } from '../../src/domain/payouts/terms';
import type { QrPayload } from '../../src/domain/qr/payload';
import type { InquiryAnswer } from '../../src/ports/payout-provider';
import type { Quote, QuoteDenial } from '../../src/ports/quotes';

export function postQuote(dependencies: ApiDependencies, credentials: Credentials) {
  const underWay = byCorridor(() => ({ requests: 0 }));
  return async (ctx: ApiContext, pathId: string): Promise<void> => {
    const intent = await findByToken(credentials, ctx, pathId);
    const code = readCode(parseQuoteRequest(ctx.state.body), intent.corridor);
    requireJson(ctx.req);
    requirePayable(intent, code, dependencies.settings, true);
    if (intent.status !== 'created') throw new DomainError('conflict');
    const corridor = underWay[intent.corridor];
    if (corridor.requests >= QUOTES_UNDER_WAY_MAX) throw unavailable('quotes_under_way');
    corridor.requests += 1;
    try {
      const made = await quote(dependencies, intent, code);
      ctx.status = 'error' in made ? 422 : 200;
      ctx.body = made;
    } finally {
      corridor.requests -= 1;
    }
  };
}

/** Causes name no payee. */
const unavailable = (reason: string, cause?: string) =>
  new DomainError('unavailable', { reason, cause });

async function quote(dependencies: ApiDependencies, intent: PaymentIntent, code: QrPayload) {
  const { quotes, quoters, randomness, clock } = dependencies;
  const { corridor, amountUsdCents, intentId } = intent;
  const denial = await quotes.begin(intentId, code.raw);
  if (denial !== undefined) throw limitExceeded(denial);
  const { account, costBounds, ...provider } = quoters[corridor];
  const request = { qrPayload: code.raw, corridor, amountUsdCents, local: localIn(code) };
  const answer = await provider.inquire?.(request);
  const offer = payableIn(answer ?? CANNOT, code, costBounds(amountUsdCents));
  const quoteId = makeQuoteId(clock.now().getTime(), randomness.bytes(ID_RANDOM_BYTES));
  const isMade = 'local' in offer;
  const made = isMade ? { quoteId, qrPayload: code.raw, account, inquiry: offer } : undefined;
  const stored = await quotes.end(intentId, made);
  if (offer instanceof DomainError) throw offer;
  return stored ?? offer;
}

const CANNOT = { outcome: 'refused', code: 'other' } as const;

/** What the provider offers, if it is what the code says and costs what a payout may. */
function payableIn(
  answer: InquiryAnswer,
  code: QrPayload,
  bounds: CostBounds,
): Quote['inquiry'] | NotQuoted | DomainError {
  if (answer.outcome === 'unknown') return unavailable('quote_unanswered', answer.cause);
  if (answer.outcome === 'refused') return notQuoted(answer.code);
  const { local } = answer.inquiry;
  // Without an amount in the code, the provider may be unable to say what the cents buy.
  if (local === null) return notQuoted('other');
  const ordered = localIn(code) ?? { currency: code.currency.code, minor: local.minor };
  const check = checkTerms(answer.inquiry, ordered, bounds);
  if (check.verdict === 'failed') return notQuoted(localIn(code) ? 'amount_differs' : check.code);
  if (check.verdict === 'open') return unavailable('quote_without_cost');
  return { ...answer.inquiry, local };
}

/** The body of the 422. */
interface NotQuoted {
  readonly error: FailureCode;
  readonly message: string;
}

function notQuoted(error: FailureCode): NotQuoted {
  return { error, message: `The scanned code cannot be paid: ${error.replaceAll('_', ' ')}.` };
}

const DENIALS: Readonly<Record<QuoteDenial['why'], string>> = {
  busy: 'Another quote for this payment is being made.',
  intent: 'This payment has had all the quotes or codes that it may have.',
  partner: 'The partner has had all the quotes of this second.',
};

function limitExceeded({ why, retryAfterSeconds }: QuoteDenial): DomainError {
  const [detail, reason] = [DENIALS[why], `quotes_${why}`];
  return new DomainError('limit_exceeded', { detail, reason, retryAfterSeconds });
}
