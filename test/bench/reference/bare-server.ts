// Answers 200 once a reference has executed its path, with only node:http and the SDK's client.
import { createServer } from 'node:http';
import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';

const BODY = JSON.stringify({ status: 'captured' });
const HEADERS = { 'content-type': 'application/json', 'content-length': BODY.length };

export async function serveBare(
  work: (client: Client, path: string) => Promise<unknown>,
): Promise<void> {
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const connection = await Connection.connect(connectionOptions);
  const client = new Client({ connection, namespace });
  const server = createServer((request, response) => {
    request.resume();
    work(client, request.url ?? '').then(
      () => response.writeHead(200, HEADERS).end(BODY),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        response.writeHead(500, { 'content-length': 0 }).end();
      },
    );
  });
  server.listen(Number(process.env['PORT']), '127.0.0.1', () => {
    process.stdout.write('{"msg":"ready"}\n');
  });
}
