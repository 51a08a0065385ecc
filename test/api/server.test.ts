// The HTTP server's orderly stop: what is under way finishes, what is idle is closed, what takes too long is cut.
import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer } from '../../api/server';
import { aServer } from '../support/servers/bare-server';

/** `arrived` is the response of the request that has come. */
async function aServerThatHoldsItsRequest() {
  let arrive: (response: ServerResponse) => void = () => undefined;
  const arrived = new Promise<ServerResponse>((resolve) => {
    arrive = resolve;
  });
  return { ...(await aServer((_, response) => arrive(response))), arrived };
}

function ask(port: number, agent: Agent | false = false): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', agent }, resolve).on('error', reject).end();
  });
}

describe('closing the server', () => {
  it('lets the request under way finish, and takes no new connection', async () => {
    const { server, port, arrived } = await aServerThatHoldsItsRequest();
    const asked = ask(port);
    const response = await arrived;
    const closed = closeServer(server, 60_000);
    await expect(ask(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    response.end('done');
    const reply = await asked;
    reply.resume();
    expect(reply.statusCode).toBe(200);
    await expect(closed).resolves.toBeUndefined();
  });

  it('does not wait for connections that are idle', async () => {
    const { server, port, arrived } = await aServerThatHoldsItsRequest();
    const agent = new Agent({ keepAlive: true });
    const asked = ask(port, agent);
    (await arrived).end();
    const reply = await asked;
    await once(reply.resume(), 'end');
    await expect(closeServer(server, 60_000)).resolves.toBeUndefined();
    agent.destroy();
  });

  it('tells a client that keeps its connection that this answer is the last on it', async () => {
    const { server, port, arrived } = await aServerThatHoldsItsRequest();
    const agent = new Agent({ keepAlive: true });
    const asked = ask(port, agent);
    const response = await arrived;
    const closed = closeServer(server, 60_000);
    response.end();
    const reply = await asked;
    await once(reply.resume(), 'end');
    agent.destroy();
    await closed;
    expect(reply.headers.connection).toBe('close');
  });

  it('cuts what is under way when its timeout is over', async () => {
    const { server, port, arrived } = await aServerThatHoldsItsRequest();
    const asked = ask(port).catch((error: unknown) => error);
    await arrived;
    await closeServer(server, 1);
    await expect(asked).resolves.toMatchObject({ code: 'ECONNRESET' });
  });
});
