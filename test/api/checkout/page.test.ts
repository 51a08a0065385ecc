// The files and headers served under /flow (decision 30): the same page for every intent, its files
// by names that contain a hash of the content, and nothing else.
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { CheckoutFile } from '../../../api/checkout/files';
import { startApp, type Outgoing } from '../../support/app';
import { withApp, withDatabase } from '../../support/brackets';
import { anIntentId } from '../../support/builders';

const file = (type: string, text: string): CheckoutFile => {
  const identity = Buffer.from(text);
  return { type, bytes: { identity, br: brotliCompressSync(identity), gzip: gzipSync(identity) } };
};
const checkout = {
  page: file('text/html; charset=utf-8', '<!doctype html>'),
  assets: new Map([['main-ABC.js', file('text/javascript; charset=utf-8', 'main()')]]),
};

const bed = withDatabase();
const app = withApp(bed, () => ({ checkout }));

const PAGE = `/flow/${anIntentId()}/scan`;
const get = (path: string, headers: Outgoing['headers'] = {}) => app.send({ path, headers });

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; worker-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

describe('the page', () => {
  it('has its headers', async () => {
    expect(await get(PAGE)).toMatchObject({
      status: 200,
      text: '<!doctype html>',
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
        'permissions-policy': 'camera=(self), microphone=(), geolocation=(), display-capture=()',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
        vary: 'Accept-Encoding',
      },
    });
  });

  it('is the same for every intent id, so that it reveals nothing about any', async () => {
    for (const id of [anIntentId(), 'pi_x', '%00', "'"]) {
      expect(await get(`/flow/${id}/scan`)).toMatchObject({ status: 200, text: '<!doctype html>' });
    }
  });

  it.each(['?reload=', '?reload=&utm_source=x', '?x=//evil.example'])(
    'with the query %s redirects to the same address without it',
    async (query) => {
      expect(await get(`${PAGE}${query}`)).toMatchObject({
        status: 302,
        headers: { location: 'scan', 'cache-control': 'no-store' },
      });
    },
  );

  it.each([
    ['br', 'br'],
    ['gzip, br', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['', undefined],
    ['deflate', undefined],
    ['br;q=0, gzip;q=0', undefined],
    ['*;q=0', undefined],
  ])('for Accept-Encoding "%s" has the encoding %s', async (accepted, coding) => {
    const { status, headers } = await get(PAGE, { 'Accept-Encoding': accepted });
    expect([status, headers['content-encoding']]).toEqual([200, coding]);
  });
});

describe('its files', () => {
  it('may be cached for ever, because their names change with their content', async () => {
    expect(await get('/flow/assets/main-ABC.js')).toMatchObject({
      status: 200,
      text: 'main()',
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      },
    });
  });

  it.each(['main-XYZ.js', '__proto__', '..%2f..%2fpackage.json', 'main-ABC.js.br', ''])(
    'do not include %s: it is 404',
    async (name) => {
      expect(await get(`/flow/assets/${name}`)).toMatchObject({ status: 404 });
    },
  );
});

describe('under /flow', () => {
  it.each([
    ['GET', '/flow'],
    ['GET', '/flow/'],
    ['GET', `${PAGE}/`],
    ['POST', PAGE],
    ['DELETE', PAGE],
    ['GET', `/flow/${anIntentId()}`],
    ['GET', `/flow/${anIntentId()}/confirm`],
  ])('%s %s is 404 in the envelope', async (method, path) => {
    const { status, text } = await app.send({ method, path });
    expect([status, JSON.parse(text)]).toEqual([
      404,
      { error: 'not_found', message: 'There is no such resource.' },
    ]);
  });

  it('error responses have the headers too', async () => {
    for (const end of ['session', 'status', 'nothing']) {
      const { headers } = await get(`/flow/${anIntentId()}/${end}`);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['content-security-policy']).toBe(POLICY);
    }
  });
});

describe('Strict-Transport-Security', () => {
  it.each([
    [true, 'max-age=31536000'],
    [false, undefined],
  ])('is, with TLS %s, %s', async (isServedOverTls, expected) => {
    const served = await startApp(bed, { checkout, settings: { isServedOverTls } });
    const { headers } = await served.send({ path: PAGE });
    await served.close();
    expect(headers['strict-transport-security']).toBe(expected);
  });
});
