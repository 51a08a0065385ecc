// A request target in absolute form is read as its origin form (protocol 3.2; RFC 9112, 3.2.2).
import { pathOf } from '../support/app';
import { withApi } from '../support/brackets';
import { rawRequest } from '../support/http/raw-http';
import { mintToken, sign } from '../support/payments/partner';

const { app, partner, intent } = withApi();

async function statusOf(target: string, headers: Readonly<Record<string, string>>) {
  const [reply] = await app.sendRaw(rawRequest(`GET ${target} HTTP/1.1`, Object.entries(headers)));
  return reply?.status;
}

describe('a target in absolute form', () => {
  it.each(['http://x', 'https://api.example:8443', 'HTTP://X'])(
    'of %s is accepted with the signature of its path',
    async (origin) => {
      const path = pathOf(intent);
      const signed = () => sign(partner, { method: 'GET', path });
      expect(await statusOf(origin + path, signed())).toBe(200);
      expect(await statusOf(`${origin}${path}?a=http://y/`, signed())).toBe(200);
    },
  );

  it('is 401 when the whole target was signed', async () => {
    const path = `http://x${pathOf(intent)}`;
    expect(await statusOf(path, sign(partner, { method: 'GET', path }))).toBe(401);
    expect(app.rejections).toEqual(['signature_wrong']);
  });

  it('is accepted with a session token', async () => {
    const headers = { Authorization: `Bearer ${mintToken(partner, intent)}` };
    expect(await statusOf(`http://x${pathOf(intent)}`, headers)).toBe(200);
  });

  it('is not decoded', async () => {
    const path = pathOf(intent).replace('v1', '%761');
    expect(await statusOf(`http://x${path}`, sign(partner, { method: 'GET', path }))).toBe(404);
  });

  it.each(['http://x', 'http://x?a=/v1', 'http://user@x/healthz', 'ftp://x/healthz', '*'])(
    '%s names nothing and is 404',
    async (target) => {
      expect(await statusOf(target, {})).toBe(404);
    },
  );
});
