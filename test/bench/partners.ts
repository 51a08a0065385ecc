// Partners of a bench, with their key sets served on the loopback by this process, which is asked for them once in ten minutes.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { aPartner, type TestPartner } from '../support/partner';
import type { Database } from '../../src/postgres/database';
import type { World } from './world';

interface Wish {
  readonly name: string;
  /** The loopback unless told. */
  readonly allow?: readonly string[];
  readonly webhookUrl?: string;
  /** The world's own unless told. */
  readonly database?: Database;
}

export interface Partners {
  onboard(wish: Wish): Promise<TestPartner>;
  close(): void;
}

export async function openPartners(world: World): Promise<Partners> {
  const published = new Map<string, object>();
  const server = serve(published);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    async onboard({ allow = ['127.0.0.1/32'], database = world.database, ...wish }) {
      const path = `/${wish.name}/.well-known/jwks.json`;
      const jwksUrl = `http://127.0.0.1:${String(port)}${path}`;
      const bed = { database, seal: world.seal };
      const partner = await aPartner(bed, { ...wish, allow, jwksUrl });
      published.set(path, partner.jwks);
      return partner;
    },
    close: () => server.close(),
  };
}

function serve(published: ReadonlyMap<string, object>): Server {
  return createServer((request, response) => {
    const keySet = published.get(request.url ?? '');
    response.writeHead(keySet === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(keySet ?? {}));
  });
}
