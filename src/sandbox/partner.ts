// The server of the sandbox partners. It publishes each partner's key set (protocol 4.4) with the
// SDK that real partners use, and stores webhooks in an inbox that `GET /<slug>/inbox` shows.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../ports/clock';
import { keySet } from '../sdk/session-token';
import {
  answerJson,
  answerJsonArray,
  createSandboxServer,
  HttpRejection,
  pathOf,
  readBody,
  type HttpDeps,
  type SandboxServer,
} from './http-server';
import { openInbox, type Inbox } from './inbox';
import { createPartnerRegistry, type SandboxPartner } from './partner-registry';

const BODY_MAX_BYTES = 65_536;

interface PartnerDeps extends HttpDeps {
  /** The folder of the inboxes. */
  readonly directory: string;
  /** JSON array of `{ slug, kid, public_key_pem }`; read for each request. */
  readonly partnersFile: string;
  readonly clock: Clock;
}

export function createPartnerServer(deps: PartnerDeps): SandboxServer {
  const registry = createPartnerRegistry(deps.partnersFile, deps.log);
  const inboxes = new Map<string, Promise<Inbox>>();
  const inboxOf = (slug: string) => {
    const inbox = inboxes.get(slug) ?? openInbox(deps.directory, slug);
    inboxes.set(slug, inbox);
    return inbox;
  };
  const context = { inboxOf, clock: deps.clock };
  const server = createSandboxServer(async (request, response) => {
    const { slug, call } = callOf(request);
    const keys = await registry.keysOf(slug);
    if (keys.length === 0) throw new HttpRejection(404, 'There is no such sandbox partner.');
    return route(call, { request, response, slug, keys, ...context });
  }, deps);
  return {
    listen: (port, host) => server.listen(port, host),
    close: async () => {
      await server.close();
      await Promise.all([...inboxes.values()].map(async (inbox) => (await inbox).close()));
    },
  };
}

interface Context {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly slug: string;
  readonly keys: readonly SandboxPartner[];
  readonly inboxOf: (slug: string) => Promise<Inbox>;
  readonly clock: Clock;
}

function callOf(request: IncomingMessage): { readonly slug: string; readonly call: string } {
  const [, slug = '', ...rest] = pathOf(request).split('/');
  return { slug, call: `${request.method ?? ''} /${rest.join('/')}` };
}

async function route(call: string, context: Context): Promise<void> {
  switch (call) {
    case 'GET /.well-known/jwks.json':
      answerJson(context.response, 200, await keySet(context.keys));
      return;
    case 'POST /webhooks':
      return receiveWebhook(context);
    case 'GET /inbox':
      return answerJsonArray(context.response, (await context.inboxOf(context.slug)).read());
    default:
      throw new HttpRejection(404, 'There is nothing here.');
  }
}

/**
 * Stores the webhook unverified, as received: the reader of the inbox verifies it. Answers once it
 * is durable.
 */
async function receiveWebhook({ request, response, slug, inboxOf, clock }: Context): Promise<void> {
  const body = await readBody(request, BODY_MAX_BYTES);
  const inbox = await inboxOf(slug);
  await inbox.append({
    received_at: clock.now().toISOString(),
    headers: headersOf(request),
    body: body.toString('utf8'),
  });
  response.writeHead(204).end();
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const headers = Object.entries(request.headers);
  return Object.fromEntries(headers.map(([name, value]) => [name, String(value ?? '')]));
}
