// Starts bare payments by `POST /create/ID` and confirms them by `POST /confirm/ID`: raw node:http and the SDK's client, nothing else.
import { createServer } from 'node:http';
import { Client, Connection } from '@temporalio/client';
import { barePayment, confirmUpdate, STATUS } from './bare-payment';

const BODY = JSON.stringify({ status: 'captured' });
const HEADERS = { 'content-type': 'application/json', 'content-length': BODY.length };
/** No workflow task runs before the confirm, as in the product. */
const DEADLINE_MS = 1_800_000;

async function main(): Promise<void> {
  const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
  const client = new Client({
    connection,
    namespace: process.env['TEMPORAL_NAMESPACE'] ?? 'default',
  });
  const create = (workflowId: string) =>
    client.workflow.start(barePayment, {
      ...{ workflowId, taskQueue: 'bare-payment', startDelay: DEADLINE_MS },
      typedSearchAttributes: [{ key: STATUS, value: 'created' }],
    });
  const confirm = (workflowId: string) =>
    client.workflow.getHandle(workflowId).executeUpdate(confirmUpdate);
  const server = createServer((request, response) => {
    request.resume();
    const [, verb, workflowId = ''] = (request.url ?? '').split('/');
    (verb === 'create' ? create(workflowId) : confirm(workflowId)).then(
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
