// The files of the checkout as they are served: from memory, compressed beforehand (decision 116). Who builds and reads
// them is no concern of the API.
import type { Context } from 'koa';

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

export function answerFile(
  ctx: Pick<Context, 'acceptsEncodings' | 'body' | 'set' | 'type' | 'vary'>,
  { type, bytes }: CheckoutFile,
): void {
  // Whoever takes none of these gets the file as it is: a page is worth more than a 406.
  const coding = CODINGS.find((one) => ctx.acceptsEncodings(one) === one) ?? 'identity';
  ctx.vary('Accept-Encoding');
  if (coding !== 'identity') ctx.set('Content-Encoding', coding);
  ctx.type = type;
  ctx.body = bytes[coding];
}
