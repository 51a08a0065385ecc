// Partners of a bench, with their key sets served on the loopback by this process, which is asked for them once in ten minutes.
import { createServer } from 'node:http';
import { listen } from '../../../src/main/listen';
import type { Database } from '../../../src/postgres/database';
import type { SecretSeal } from '../../../src/signing/sealed-secret';
import { aPartner, type PartnerWish, type TestPartner } from '../../support/payments/partner';

interface Wish extends PartnerWish {
  readonly name: string;
  /** The world's own unless told. */
  readonly database?: Database;
}

export type Onboard = (wish: Wish) => Promise<TestPartner>;

export async function openPartners(bed: {
  readonly database: Database;
  readonly seal: SecretSeal;
}): Promise<{ readonly onboard: Onboard; readonly close: () => void }> {
  const published = new Map<string, object>();
  const server = createServer((request, response) => {
    const keySet = published.get(request.url ?? '');
    response.writeHead(keySet === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(keySet ?? {}));
  });
  const port = await listen(server, 0, '127.0.0.1');
  return {
    async onboard({ database = bed.database, ...wish }) {
      const path = `/${wish.name}/.well-known/jwks.json`;
      const jwksUrl = `http://127.0.0.1:${String(port)}${path}`;
      const place = { database, seal: bed.seal };
      const partner = await aPartner(place, { allow: ['127.0.0.1/32'], ...wish, jwksUrl });
      published.set(path, partner.jwks);
      return partner;
    },
    close: () => server.close(),
  };
}
