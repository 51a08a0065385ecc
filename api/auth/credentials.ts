// Which credentials a request brings, and the one door that each operation opens (spec, "Endpoints", summary table).
import type { ApiContext, ApiDependencies } from '../context';
import { DomainError } from '../../src/domain/errors';
import type { SignedCaller } from '../../src/ports/replay-guard';
import { createKeySets } from './key-set';
import {
  createSessionTokenVerifier,
  type TokenPurpose,
  type VerifiedSession,
} from './session-token';
import {
  createSignedRequestVerifier,
  refused,
  SIGNING_HEADERS,
  type SigningHeader,
} from './signed-request';
import { sourceAddress } from './source-address';

export interface Credentials {
  /** Whether the request brings a bearer token rather than a signature. */
  bringsToken(ctx: ApiContext): boolean;
  /** @throws DomainError `authentication_failed`. The nonce is not recorded yet: whoever calls this records it. */
  requireSignature(ctx: ApiContext): Promise<SignedCaller>;
  /** As above, and the nonce is recorded. */
  requireFreshSignature(ctx: ApiContext): Promise<SignedCaller>;
  /** Records the nonce of a request that is refused for another reason, so that it cannot be sent again. */
  spendNonce(caller: SignedCaller): Promise<void>;
  requireToken(ctx: ApiContext, purpose: TokenPurpose): Promise<VerifiedSession>;
}

export function createCredentials(dependencies: ApiDependencies): Credentials {
  const { partners, clock, tokens, log, replayGuard, metrics } = dependencies;
  const verifySigned = createSignedRequestVerifier(partners, clock);
  const keySets = createKeySets({ fetcher: dependencies.keySets, clock, log });
  const verifyToken = createSessionTokenVerifier({ partners, keySets, tokens, clock });
  const { trustedProxyHops } = dependencies.settings;

  const counted = async <Result>(kind: CredentialKind, verify: () => Promise<Result>) => {
    try {
      return await verify();
    } catch (error) {
      if (error instanceof DomainError) metrics.credentialsRefused(kind, error.reason);
      throw error;
    }
  };
  const spendNonce = async (caller: SignedCaller) => {
    await counted('signed_request', async () => {
      if (!(await replayGuard.claimNonce(caller))) throw refused('nonce_seen_or_key_withdrawn');
    });
  };
  const requireSignature = (ctx: ApiContext) =>
    counted('signed_request', async () => {
      if (bearer(ctx) !== undefined) throw refused('both_kinds_of_credentials');
      return verifySigned(readSignedRequest(ctx, trustedProxyHops));
    });
  return {
    bringsToken: (ctx) => bearer(ctx) !== undefined,
    requireSignature,
    spendNonce,
    async requireFreshSignature(ctx) {
      const caller = await requireSignature(ctx);
      await spendNonce(caller);
      return caller;
    },
    requireToken: (ctx, purpose) =>
      counted('session_token', async () => {
        if (hasSigningHeader(ctx)) throw refused('both_kinds_of_credentials');
        return verifyToken(bearerToken(ctx), purpose);
      }),
  };
}

type CredentialKind = 'signed_request' | 'session_token';

function bearer(ctx: ApiContext): string | undefined {
  return ctx.req.headers.authorization;
}

function bearerToken(ctx: ApiContext): string {
  const values = headerValues(ctx, 'authorization');
  const match = /^Bearer +([^ ]+)$/i.exec(values[0] ?? '');
  if (values.length !== 1 || match?.[1] === undefined) throw refused('bearer_missing_or_malformed');
  return match[1];
}

function hasSigningHeader(ctx: ApiContext): boolean {
  return SIGNING_HEADERS.some((name) => headerValues(ctx, name).length > 0);
}

function readSignedRequest(ctx: ApiContext, trustedProxyHops: number) {
  const values = (name: SigningHeader) => headerValues(ctx, name);
  const forwardedFor = headerValues(ctx, 'x-forwarded-for').join(',');
  return {
    method: ctx.method,
    path: pathAsSent(ctx),
    body: ctx.state.body,
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

/** Raw pairs, since Node joins repeated headers before code sees them (decision 24). */
export function headerValues(ctx: ApiContext, name: string): readonly string[] {
  const { rawHeaders } = ctx.req;
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}
