// Starts one bare workflow for each POST and answers 200 when it has ended: raw node:http and the SDK's client, nothing else.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Client, Connection } from '@temporalio/client';

const BODY = JSON.stringify({ status: 'captured' });
const HEADERS = { 'content-type': 'application/json', 'content-length': BODY.length };

async function main(): Promise<void> {
  const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
  const client = new Client({
    connection,
    namespace: process.env['TEMPORAL_NAMESPACE'] ?? 'default',
  });
  const server = createServer((request, response) => {
    request.resume();
    client.workflow.execute('bareFlow', { workflowId: randomUUID(), taskQueue: 'bare' }).then(
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

void main();
