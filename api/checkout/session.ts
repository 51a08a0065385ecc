// The two reads of the checkout page. Both require a session token that is bound to the intent in
// the path, and write nothing.
import type { ApiContext, ApiDependencies } from '../context';
import type { Credentials } from '../auth/credentials';
import { headerValues } from '../headers';
import { rejectToken } from '../auth/rejections';
import { logoPath } from './logo';
import type { TokenPurpose } from '../../src/signing/token-checks';
import { DomainError } from '../../src/domain/errors';
import { isSettled } from '../../src/domain/intents/transitions';
import { isReturnScheme } from '../../src/domain/return-scheme';
import type { TokenIssuer } from '../../src/ports/partners';

/**
 * GET /flow/<intent_id>/session: the data that the page shows before the payer confirms, and the
 * schemes it may return to (decisions 28 and 116). The token is verified as by GET
 * /v1/payment_intents/{intent_id}.
 */
export function getSession({ clock, log }: ApiDependencies, credentials: Credentials) {
  return async (ctx: ApiContext, pathId: string): Promise<void> => {
    const { intent, use, issuer, closed } = await requireBound(credentials, ctx, pathId, 'read');
    const { partnerId, returnSchemes } = issuer;
    const asked = unregisteredScheme(ctx, returnSchemes);
    if (asked !== undefined) {
      const fields = { partner_id: partnerId, intent_id: intent.intentId, return_scheme: asked };
      log.warn(fields, 'the return scheme of a checkout link is not registered');
    }
    const endsMs = Math.min(intent.expiresAt.getTime(), use.expiresAtMs);
    ctx.body = {
      status: intent.status,
      is_open: closed === null,
      amount_usd_cents: intent.amountUsdCents,
      corridor: intent.corridor,
      // A duration, not an instant, because the payer's clock may be wrong.
      expires_in_seconds: Math.max(0, Math.floor((endsMs - clock.now().getTime()) / 1_000)),
      return_schemes: returnSchemes,
      partner: shownPartner(issuer),
    };
  };
}

/**
 * GET /flow/<intent_id>/status (decision 29): after a confirm the token is used up, so the API's
 * GET rejects it. This returns only the status and, once it is terminal, a receipt; only to the
 * token that confirmed the intent, until its `exp`.
 */
export function getStatus({ intents }: ApiDependencies, credentials: Credentials) {
  return async (ctx: ApiContext, pathId: string): Promise<void> => {
    const { intent } = await requireBound(credentials, ctx, pathId, 'status');
    const { intentId, status } = intent;
    ctx.body = isSettled(status)
      ? // The page has the payee's name from the quote.
        { status, receipt: { payee: null, ...(await intents.readReceipt(intentId, status)) } }
      : { status };
  };
}

/**
 * The scheme of the link, which the page names in a header, if it is not registered. A payer can
 * send any text, so only one that is a scheme is returned as sent.
 */
function unregisteredScheme(ctx: ApiContext, registered: readonly string[]): string | undefined {
  const [asked] = headerValues(ctx.req, 'x-return-scheme');
  const scheme = asked?.toLowerCase();
  if (scheme === undefined || registered.includes(scheme)) return undefined;
  return isReturnScheme(scheme) ? scheme : 'not the scheme of an app';
}

/** What payers see of the partner (decision 144); null if it has no name for them. */
function shownPartner({ displayName, logoId }: TokenIssuer) {
  if (displayName === null) return null;
  return { name: displayName, logo: logoId === null ? null : logoPath(logoId) };
}

async function requireBound(
  credentials: Credentials,
  ctx: ApiContext,
  pathId: string,
  purpose: TokenPurpose,
) {
  const { intent, boundTo, ...session } = await credentials.requireToken(ctx, purpose);
  if (boundTo !== pathId) throw rejectToken('bound_to_another_intent', session.use);
  if (intent === undefined) throw new DomainError('not_found');
  return { ...session, intent };
}
