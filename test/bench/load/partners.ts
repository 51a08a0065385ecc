// Onboards the partners of a bench. This process serves their key sets on the loopback; the API
// fetches each once in ten minutes.
import { createServer } from 'node:http';
import { listen } from '../../../src/main/listen';
import type { SecretTools } from '../../../src/ops/session';
import type { Database } from '../../../src/postgres/database';
import {
  aPartner,
  type TestPartnerOptions,
  type TestPartner,
} from '../../support/payments/partner';

interface OnboardOptions extends TestPartnerOptions {
  readonly name: string;
  /** The world's database by default. */
  readonly database?: Database;
}

export type Onboard = (options: OnboardOptions) => Promise<TestPartner>;

export async function openPartners(
  bed: SecretTools,
): Promise<{ readonly onboard: Onboard; readonly close: () => void }> {
  const published = new Map<string, object>();
  const server = createServer((request, response) => {
    const keySet = published.get(request.url ?? '');
    response.writeHead(keySet === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(keySet ?? {}));
  });
  const port = await listen(server, 0, '127.0.0.1');
  return {
    async onboard({ database = bed.database, ...options }) {
      const path = `/${options.name}/.well-known/jwks.json`;
      const jwksUrl = `http://127.0.0.1:${String(port)}${path}`;
      const place = { database, seal: bed.seal };
      const partner = await aPartner(place, { allow: ['127.0.0.1/32'], ...options, jwksUrl });
      published.set(path, partner.jwks);
      return partner;
    },
    close: () => server.close(),
  };
}
