// GET /flow/<intent_id>/scan and /flow/assets/… (protocol 6.1; decisions 30 and 116): from memory, compressed
// beforehand. The page is the same for every intent: what it is about comes in the fragment, which no server sees.
import type { Context } from 'koa';
import { DomainError } from '../../src/domain/errors';

export const CODINGS = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof CODINGS)[number];

export interface CheckoutFile {
  /** The media type. */
  readonly type: string;
  readonly bytes: Readonly<Record<Coding, Buffer>>;
}

export interface CheckoutFiles {
  readonly page: CheckoutFile;
  /** By the name under `/flow/assets/`, which holds a hash of the content. */
  readonly assets: ReadonlyMap<string, CheckoutFile>;
}

type FileContext = Pick<Context, 'acceptsEncodings' | 'body' | 'set' | 'type' | 'vary'>;

/** The name changes with the content, so what a browser has of it is good for ever. */
const FOR_EVER = 'public, max-age=31536000, immutable';

export function servePage({ page }: CheckoutFiles) {
  return (ctx: FileContext): void => {
    answerFile(ctx, page);
  };
}

export function serveAsset({ assets }: CheckoutFiles) {
  return (ctx: FileContext, name: string): void => {
    const asset = assets.get(name);
    if (asset === undefined) throw new DomainError('not_found');
    ctx.set('Cache-Control', FOR_EVER);
    answerFile(ctx, asset);
  };
}

function answerFile(ctx: FileContext, { type, bytes }: CheckoutFile): void {
  // Whoever takes none of these gets the file as it is: a page is worth more than a 406.
  const coding = CODINGS.find((one) => ctx.acceptsEncodings(one) === one) ?? 'identity';
  ctx.vary('Accept-Encoding');
  if (coding !== 'identity') ctx.set('Content-Encoding', coding);
  ctx.type = type;
  ctx.body = bytes[coding];
}
