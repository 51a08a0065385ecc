// Who sends what is refused: a partner who may, one whose addresses are elsewhere, one whose key was revoked, and their
// key sets, served on the loopback. Prepared before anything is measured.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { anEventId, aCreateCommand, ENVIRONMENT } from '../support/builders';
import { aPartner, type TestPartner } from '../support/partner';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { createIntentStore } from '../../src/postgres/intent-store';
import type { World } from './world';

export interface Cast {
  readonly partner: TestPartner;
  /** Its registered network is not the loopback. */
  readonly elsewhere: TestPartner;
  /** Its only key is revoked. */
  readonly withdrawn: TestPartner;
  /** The partner's, `created` for as long as any bench takes. */
  readonly intent: PaymentIntent;
  close(): void;
}

export async function createCast({ database, seal }: World): Promise<Cast> {
  const published = new Map<string, object>();
  const server = serve(published);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const onboard = async (name: string, allow = ['127.0.0.1/32']) => {
    const path = `/${name}/.well-known/jwks.json`;
    const jwksUrl = `http://127.0.0.1:${String(port)}${path}`;
    const partner = await aPartner({ database, seal }, { name, allow, jwksUrl });
    published.set(path, partner.jwks);
    return partner;
  };
  const partner = await onboard('siam-travel');
  const elsewhere = await onboard('laos-travel', ['192.0.2.0/24']);
  const withdrawn = await onboard('java-travel');
  await database.query({
    text: `update signing_keys set revoked_at = service_now() where key_id = $1`,
    values: [withdrawn.key_id],
  });
  const intents = createIntentStore({
    database,
    environment: ENVIRONMENT,
    makeEventId: anEventId,
  });
  const created = await intents.create(aCreateCommand(partner, { timeToLiveSeconds: 86_400 }));
  if (created.outcome !== 'created') throw new Error(`not created: ${created.outcome}`);
  return {
    partner,
    elsewhere,
    withdrawn,
    intent: created.intent,
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
