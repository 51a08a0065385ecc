// GET /flow/<intent_id>/scan and /flow/assets/…, served from memory and compressed at start
// (protocol 6.1; decisions 30 and 116). The page is the same for every intent: the token travels in
// the URL fragment, which no server sees.
import type { Context } from 'koa';
import { DomainError } from '../../src/domain/errors';

const CODINGS = ['br', 'gzip', 'identity'] as const;
type Coding = (typeof CODINGS)[number];

export interface CheckoutFile {
  /** The media type. */
  readonly type: string;
  readonly bytes: Readonly<Record<Coding, Buffer>>;
}

export interface CheckoutFiles {
  readonly page: CheckoutFile;
  /** Keyed by the name under `/flow/assets/`, which contains a hash of the content. */
  readonly assets: ReadonlyMap<string, CheckoutFile>;
}

type FileContext = Pick<
  Context,
  'acceptsEncodings' | 'body' | 'querystring' | 'redirect' | 'set' | 'type' | 'vary'
>;

/** For files whose name changes with their content. */
export const CACHED_FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * A reload link without script is a form, and a form adds a query. The redirect removes it, so that
 * the next press loads the page again; browsers keep the fragment over both.
 */
export function servePage({ page }: CheckoutFiles) {
  return (ctx: FileContext): void => {
    if (ctx.querystring === '') answerFile(ctx, page);
    else ctx.redirect('scan');
  };
}

export function serveAsset({ assets }: CheckoutFiles) {
  return (ctx: FileContext, name: string): void => {
    const asset = assets.get(name);
    if (asset === undefined) throw new DomainError('not_found');
    ctx.set('Cache-Control', CACHED_FOR_EVER);
    answerFile(ctx, asset);
  };
}

function answerFile(ctx: FileContext, { type, bytes }: CheckoutFile): void {
  // A browser that accepts none of these still gets the plain file, not a 406.
  const coding = CODINGS.find((one) => ctx.acceptsEncodings(one) === one) ?? 'identity';
  ctx.vary('Accept-Encoding');
  if (coding !== 'identity') ctx.set('Content-Encoding', coding);
  ctx.type = type;
  ctx.body = bytes[coding];
}
