// Verifies the credentials of a request, of the kind that the operation requires (protocol 5.1).
import type { ApiContext, ApiDependencies } from '../context';
import { headerValues } from '../headers';
import type { SignedCaller } from '../../src/ports/partners';
import { createDirectory } from './directory';
import { createKeySets } from './key-set';
import { aboutSignature, aboutToken, rejectNonce, type KindRejection } from './rejections';
import type { TokenPurpose } from '../../src/signing/token-checks';
import { createSessionTokenVerifier, type VerifiedSession } from './session-token';
import {
  createSignedRequestVerifier,
  SIGNING_HEADERS,
  type SignedRequest,
  type SigningHeader,
} from './signed-request';
import { sourceAddress } from './source-address';

export type Credentials = ReturnType<typeof createCredentials>;

export function createCredentials(dependencies: ApiDependencies) {
  const { partners, clock, tokens, log, replayGuard, metrics } = dependencies;
  const directory = createDirectory(partners, log);
  const verifySigned = createSignedRequestVerifier(directory, clock);
  const keySets = createKeySets({ fetcher: dependencies.keySets, clock, log, metrics });
  const verifyToken = createSessionTokenVerifier({ directory, keySets, tokens, clock });
  const { trustedProxyHops } = dependencies.settings;

  const seenFrom = ({ address = 'none' }: SignedRequest) =>
    `${trustedProxyHops === 0 ? 'socket' : `forwarded ${String(trustedProxyHops)}`}: ${address}`;
  /**
   * Verifies the signature. It does not record the nonce: the caller must do that.
   * @throws DomainError `authentication_failed`
   */
  const requireSignature = async (ctx: ApiContext): Promise<SignedCaller> => {
    const request = readSignedRequest(ctx, trustedProxyHops);
    // Without signing headers the address may be a payer's, which is not logged.
    if (request.wrongKind === undefined) ctx.state.about = { seen_from: seenFrom(request) };
    const caller = await verifySigned(request);
    ctx.state.about = { ...ctx.state.about, ...aboutSignature(caller) };
    return caller;
  };
  /** Records the nonce of a request that is rejected for another reason, to prevent a replay. */
  const spendNonce = async (caller: SignedCaller) => {
    const claim = await replayGuard.claimNonce(caller);
    if (claim !== 'claimed') throw rejectNonce(claim, caller);
  };
  return {
    bringsToken,
    requireSignature,
    spendNonce,
    /** Refreshes the cached directory if this is not its version. */
    async follow(version: number): Promise<void> {
      if ((await directory.cached()).version !== version) await directory.refreshed();
    },
    /** @throws DomainError `authentication_failed` */
    async requireToken(ctx: ApiContext, purpose: TokenPurpose): Promise<VerifiedSession> {
      const presented = { token: bearerToken(ctx), wrongKind: wrongKindIn(ctx, 'token') };
      const session = await verifyToken(presented, purpose);
      ctx.state.about = aboutToken({
        partnerId: session.use.partnerId,
        intentId: session.intent?.intentId,
      });
      return session;
    },
  };
}

/**
 * Whether the request has an Authorization header of the scheme Bearer. Other schemes, such as
 * Basic of a proxy, are no credentials of ours and are not read.
 */
function bringsToken(ctx: ApiContext): boolean {
  return headerValues(ctx.req, 'authorization').some((value) => /^bearer(\s|$)/i.test(value));
}

/** Undefined unless there is exactly one Authorization header with one bearer token. */
function bearerToken(ctx: ApiContext): string | undefined {
  const values = headerValues(ctx.req, 'authorization');
  return values.length === 1 ? /^Bearer +([^ ]+)$/i.exec(values[0] ?? '')?.[1] : undefined;
}

/** Undefined if there are credentials of the needed kind only, whether they are right or not. */
function wrongKindIn(ctx: ApiContext, needed: 'signature' | 'token'): KindRejection | undefined {
  const isSigned = SIGNING_HEADERS.some((name) => headerValues(ctx.req, name).length > 0);
  const hasToken = bringsToken(ctx);
  if (isSigned && hasToken) return 'both_kinds_of_credentials';
  if (!isSigned && !hasToken) return 'no_credentials';
  return isSigned === (needed === 'signature') ? undefined : 'wrong_kind_of_credentials';
}

function readSignedRequest(ctx: ApiContext, trustedProxyHops: number): SignedRequest {
  const values = (name: SigningHeader) => headerValues(ctx.req, name);
  const forwardedFor = headerValues(ctx.req, 'x-forwarded-for').join(',');
  return {
    method: ctx.method,
    path: pathAsSent(ctx),
    body: ctx.state.body,
    wrongKind: wrongKindIn(ctx, 'signature'),
    address: sourceAddress(ctx.req.socket.remoteAddress, forwardedFor, trustedProxyHops),
    headers: {
      'x-service-key-id': values('x-service-key-id'),
      'x-service-timestamp': values('x-service-timestamp'),
      'x-service-nonce': values('x-service-nonce'),
      'x-service-signature': values('x-service-signature'),
    },
  };
}

/** The raw request path: undecoded, and without the query string (decision 11). */
function pathAsSent(ctx: ApiContext): string {
  return (ctx.req.url ?? '').split('?', 1)[0] ?? '';
}
