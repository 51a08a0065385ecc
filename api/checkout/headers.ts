// Security headers of every response under `/flow` (decision 30): the browser runs only our files,
// shows the page in no frame, caches nothing by default and sends no referrer.
import type { Middleware } from 'koa';
import type { ApiSettings, RequestState } from '../context';

/**
 * Allows no inline code and no foreign origin. Images need no other source: the payer's photo is
 * decoded in memory and the icons are drawn. The scanner runs in a worker from our own files.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
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

/** It needs TLS. */
const HSTS = { 'Strict-Transport-Security': 'max-age=31536000' };

/** Error responses under `/flow` carry these headers too. */
export function checkoutHeaders({
  isServedOverTls,
}: Pick<ApiSettings, 'isServedOverTls'>): Middleware<RequestState> {
  const headers = { ...HEADERS, ...(isServedOverTls && HSTS) };
  return async (ctx, next) => {
    if (ctx.path.startsWith('/flow/')) ctx.set(headers);
    await next();
  };
}
