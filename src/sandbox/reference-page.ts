// The contract as a page at /docs of both sandbox servers (architecture, section 6; decision 115):
// Swagger UI over api/openapi.yaml. This process serves all of its files, and the page may load
// nothing from any other origin.
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';

/**
 * No inline script or style, no other origin, no frame. The icons in Swagger UI's style are `data:`
 * URLs.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const OWN = join(__dirname, 'reference');
const CONTRACT = join(__dirname, '..', '..', 'api', 'openapi');

const FILES: Readonly<Record<string, readonly [path: string, type: string]>> = {
  '/docs': [join(OWN, 'index.html'), 'text/html'],
  '/docs/': [join(OWN, 'index.html'), 'text/html'],
  '/docs/start.js': [join(OWN, 'start.js'), 'text/javascript'],
  '/docs/style.css': [join(OWN, 'style.css'), 'text/css'],
  '/docs/openapi.yaml': [`${CONTRACT}.yaml`, 'application/yaml'],
  '/docs/openapi.json': [`${CONTRACT}.json`, 'application/json'],
  '/docs/swagger-ui.css': [require.resolve('swagger-ui-dist/swagger-ui.css'), 'text/css'],
  '/docs/swagger-ui-bundle.js': [
    require.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
    'text/javascript',
  ],
};

/**
 * Answers a request for one of the page's files.
 * @param path without the query string
 * @returns undefined when the path is not one of the page's
 */
export function answerReference(
  { method }: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> | undefined {
  const file = FILES[path];
  const isRead = method === 'GET' || method === 'HEAD';
  return file === undefined || !isRead ? undefined : answerFile(response, ...file);
}

async function answerFile(response: ServerResponse, path: string, type: string): Promise<void> {
  const bytes = await readFile(path);
  response.writeHead(200, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': bytes.length,
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  });
  response.end(bytes);
}
