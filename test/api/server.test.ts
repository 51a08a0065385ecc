// The HTTP server's orderly stop: requests in progress finish, idle connections are closed, and
// requests that take too long are cut.
import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer } from '../../api/server';
import { aServer } from '../support/servers/bare-server';

/** `arrived` resolves with the open response of the first request. */
async function aServerThatHoldsItsRequest() {
  let arrive: (response: ServerResponse) => void = () => undefined;
  const arrived = new Promise<ServerResponse>((resolve) => {
    arrive = resolve;
  });
  return { ...(await aServer((_, response) => arrive(response))), arrived };
}

function get(port: number, agent: Agent | false = false): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', agent }, resolve).on('error', reject).end();
  });
}

describe('closing the server', () => {
  it('lets the request in progress finish, and accepts no new connection', async () => {
    const { server, port, arrived } = await aServerThatHoldsItsRequest();
    const pending = get(port);
    const response = await arrived;
    const closed = closeServer(server, 60_000);
    await expect(get(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    response.end('done');
    const reply = await pending;
    reply.resume();
    expect(reply.statusCode).toBe(200);
    await expect(closed).resolves.toBeUndefined();
  });

  it('does not wait for idle connections', async () => {
    const { server, port, arrived } = await aServerThatHoldsItsRequest();
    const agent = new Agent({ keepAlive: true });
    const pending = get(port, agent);
    (await arrived).end();
    const reply = await pending;
    await once(reply.resume(), 'end');
    await expect(closeServer(server, 60_000)).resolves.toBeUndefined();
    agent.destroy();
  });

  it('answers with Connection: close to a client that keeps its connection', async () => {
    const { server, port, arrived } = await aServerThatHoldsItsRequest();
    const agent = new Agent({ keepAlive: true });
    const pending = get(port, agent);
    const response = await arrived;
    const closed = closeServer(server, 60_000);
    response.end();
    const reply = await pending;
    await once(reply.resume(), 'end');
    agent.destroy();
    await closed;
    expect(reply.headers.connection).toBe('close');
  });

  it('cuts requests in progress after its timeout', async () => {
    const { server, port, arrived } = await aServerThatHoldsItsRequest();
    const pending = get(port).catch((error: unknown) => error);
    await arrived;
    await closeServer(server, 1);
    await expect(pending).resolves.toMatchObject({ code: 'ECONNRESET' });
  });
});
