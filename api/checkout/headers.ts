// What every answer under `/flow` tells the browser (decision 30): to run our own files only, to show them in no frame, to
// keep nothing and to tell nobody where the payer comes from.
import type { Middleware } from 'koa';
import type { RequestState } from '../context';

/**
 * Nothing inline and nothing of anybody else's. The payer's photo is read in memory and the icons are drawn, so there is
 * no source of images but ours; the scanner runs in a worker of ours.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Permissions-Policy': 'camera=(self), microphone=(), geolocation=(), display-capture=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

const HSTS = 'max-age=31536000';

interface CheckoutHeadersOptions {
  /** By this process or by a proxy of ours (decision 23). Without TLS browsers ignore the header, and rightly. */
  readonly isServedOverTls: boolean;
}

/** Refusals under `/flow` carry them too. */
export function checkoutHeaders(options: CheckoutHeadersOptions): Middleware<RequestState> {
  const headers = {
    ...HEADERS,
    ...(options.isServedOverTls && { 'Strict-Transport-Security': HSTS }),
  };
  return async (ctx, next) => {
    if (ctx.path.startsWith('/flow/')) ctx.set(headers);
    await next();
  };
}
