// The requests of the page: as few as possible, to its own origin only, and with the token removed
// from the address before the first request of the program (protocol 6.1; decision 30).
import type { Claims } from '../support/payments/partner';
import { mintFor, RETURN_SCHEME, withVisits } from './checkout-world';
import { FULL_CODE } from './scanned-codes';
import { paste } from './screens';
import type { Visit } from './visit';

const visits = withVisits();
const { world, open } = visits;
let token: string;
beforeEach(() => {
  token = mintFor(world.partner, visits.intent, world.now);
});

const link = () => world.link(visits.intent, { token });
const sessionRequests = () => world.network.arrivals.filter(({ url }) => url.endsWith('/session'));
const isRejected = ({ page }: Visit) =>
  page.getByRole('heading', { name: 'This link does not work' }).waitFor();
const onScan = ({ page }: Visit) =>
  page.getByRole('heading', { name: 'Scan the QR code' }).waitFor();
const address = () => `${world.network.url}/flow/${visits.intent.intentId}/scan`;
const payFor = async (visit: Visit) => {
  await paste(visit, FULL_CODE);
  await visit.page.getByRole('button', { name: /^Pay / }).click();
  await visit.page.getByRole('heading', { name: 'Paid' }).waitFor();
};

describe('the fragment', () => {
  it('is gone from the address before the first request of the page’s program', async () => {
    const visit = await open(link());
    await onScan(visit);
    const [page, program, cleaned, ...rest] = visit.browserEvents;
    expect(page).toContain(`requests ${address()}#token=`);
    expect(program).toMatch(/^requests .*\/flow\/assets\/main-\w+\.js$/);
    expect(cleaned).toBe(`shows ${address()}`);
    expect(rest.map((event) => event.split('/').at(-1))).toEqual([
      expect.stringMatching(/^style-\w+\.css$/),
      'session',
      expect.stringMatching(/^[\da-f-]{36}\.png$/),
    ]);
  });

  it('is in no history, title or text', async () => {
    const visit = await open(link());
    await onScan(visit);
    expect(visit.page.url()).toBe(address());
    const content = await visit.page.evaluate<string>(
      'document.documentElement.outerHTML + document.title + JSON.stringify(history.state)',
    );
    expect(content).not.toContain(token.split('.')[1]);
  });

  it('reaches the server only as a bearer credential', async () => {
    const visit = await open(link());
    await payFor(visit);
    const { arrivals } = world.network;
    expect(arrivals.length).toBeGreaterThan(3);
    for (const { url, body, headers } of arrivals) {
      const { authorization, ...others } = headers;
      expect([undefined, `Bearer ${token}`]).toContain(authorization);
      expect(JSON.stringify([url, body, others])).not.toContain(token.split('.')[1]);
      expect(others.referer).toBeUndefined();
      expect(others.cookie).toBeUndefined();
    }
  });

  it('is removed again when another link is opened in the same tab', async () => {
    const visit = await open(world.link(visits.intent, { token: 'a.b.c' }));
    await isRejected(visit);
    await visit.page.goto(link());
    await onScan(visit);
    expect(visit.page.url()).toBe(address());
  });
});

describe('the page', () => {
  it('makes six requests for a whole payment, all to its own origin', async () => {
    const visit = await open(link());
    await payFor(visit);
    expect(visit.violations).toEqual([]);
    // Only a browser with a window requests the icon.
    const arrivals = world.network.arrivals.filter(({ url }) => !/\/icon-\w+\.svg$/.test(url));
    expect(arrivals.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET /flow/${visits.intent.intentId}/scan`,
      expect.stringMatching(/^GET \/flow\/assets\/main-\w+\.js$/),
      expect.stringMatching(/^GET \/flow\/assets\/style-\w+\.css$/),
      `GET /flow/${visits.intent.intentId}/session`,
      expect.stringMatching(/^GET \/flow\/logos\/[\da-f-]{36}\.png$/),
      `POST /v1/payment_intents/${visits.intent.intentId}/confirm`,
    ]);
  });

  it('deletes the token when the outcome is known', async () => {
    const visit = await open(link());
    await payFor(visit);
    expect(await visit.page.evaluate('JSON.stringify(sessionStorage)')).toBe('{}');
    expect(await visit.page.evaluate('JSON.stringify(localStorage)')).toBe('{}');
  });

  it('continues after a reload, without the link', async () => {
    const visit = await open(link());
    await onScan(visit);
    await visit.page.reload();
    await onScan(visit);
    await payFor(visit);
    expect(await visit.untilHandedOver()).toContain('status=captured');
  });

  it('in another tab, without the link, shows no payment', async () => {
    const { page } = await open(address());
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    expect(sessionRequests()).toEqual([]);
  });
});

describe('the return to the app', () => {
  it.each(['another-app', 'https', 'javascript', 'data', 'intent', 'x'])(
    'never opens %s:, which the partner has not registered',
    async (scheme) => {
      const visit = await open(link().replace(RETURN_SCHEME, scheme));
      await payFor(visit);
      await visit.page.getByText('You can close this page').waitFor();
      expect(await visit.page.getByRole('button', { name: 'Back to the app' }).count()).toBe(0);
      expect(visit.handedOver).toEqual([]);
      expect(visit.page.url()).toBe(address());
    },
  );

  it('to a scheme that is not registered is named in the console and in the log', async () => {
    const visit = await open(link().replace(RETURN_SCHEME, 'another-app'));
    await payFor(visit);
    expect(visit.console.join()).toContain(
      `the return scheme "another-app" is not registered, so this page does not go back to the app. Registered: ${RETURN_SCHEME}.`,
    );
  });

  it.each(['', `&return_scheme=${RETURN_SCHEME.toUpperCase()}`])(
    'of a link that ends in "%s" is to the one registered scheme',
    async (end) => {
      const visit = await open(link().replace(/&return_scheme=.*/, end));
      await payFor(visit);
      expect(await visit.untilHandedOver()).toMatch(
        new RegExp(`^${RETURN_SCHEME}://payment-result\\?.*status=captured$`),
      );
    },
  );
});

describe('a link that the page itself recognises as wrong', () => {
  it.each<[string, Claims | string]>([
    ['of two segments', 'a.b'],
    ['whose claims are not JSON', 'a.b.c'],
    ['for another audience', { aud: 'another' }],
    ['for another intent', { 'service:intent_id': `pi_${'0'.repeat(26)}` }],
  ])('%s causes no request', async (_name, wrong) => {
    const options = typeof wrong === 'string' ? { token: wrong } : { claims: wrong };
    const visit = await visits.openLink(options);
    await isRejected(visit);
    expect(sessionRequests()).toEqual([]);
  });

  it('with the token twice causes no request', async () => {
    const visit = await open(`${link()}&token=${token}`);
    await isRejected(visit);
    expect(sessionRequests()).toEqual([]);
  });
});
