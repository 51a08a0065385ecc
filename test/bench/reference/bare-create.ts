// The reference of a create: raw node:http and one INSERT into a table of its own with the members that are answered; with
// TEMPORAL_ADDRESS also one StartWorkflow, awaited. It verifies nothing, and nothing in it is safe to repeat.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { Client, Connection } from '@temporalio/client';
import { Pool } from 'pg';

interface Body {
  readonly partner_user_id: string;
  readonly amount_usd_cents: number;
  readonly corridor: string;
}

const TTL_MS = 1_800_000;
/** As many connections as the API holds by default. */
const pool = new Pool({ connectionString: process.env['DATABASE_URL'] ?? '', max: 20 });

async function insert(body: Body): Promise<string> {
  const intentId = `pi_${randomBytes(13).toString('hex')}`;
  const { rows } = await pool.query<{ readonly created_at: Date }>({
    name: 'insert',
    text: `insert into bare_intents (intent_id, partner_user_id, amount_usd_cents, corridor, status, created_at)
           values ($1, $2, $3, $4, 'created', now()) returning created_at`,
    values: [intentId, body.partner_user_id, body.amount_usd_cents, body.corridor],
  });
  return JSON.stringify({
    intent_id: intentId,
    status: 'created',
    amount_usd_cents: body.amount_usd_cents,
    corridor: body.corridor,
    created_at: rows[0]?.created_at,
  });
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Body;
}

/** Its first task is as far away as that of a payment, so no queue of tasks grows. */
async function starter(address: string | undefined): Promise<() => Promise<unknown>> {
  if (address === undefined) return () => Promise.resolve();
  const client = new Client({ connection: await Connection.connect({ address }) });
  return () =>
    client.workflow.start('bareFlow', {
      workflowId: randomBytes(13).toString('hex'),
      taskQueue: 'bare',
      startDelay: TTL_MS,
    });
}

async function main(): Promise<void> {
  const start = await starter(process.env['TEMPORAL_ADDRESS']);
  await pool.query(`create table if not exists bare_intents (
    intent_id text primary key, partner_user_id text not null, amount_usd_cents bigint not null,
    corridor text not null, status text not null, created_at timestamptz not null)`);
  const server = createServer((request, response) => {
    const answer = (status: number, text: string) =>
      response
        .writeHead(status, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        })
        .end(text);
    bodyOf(request)
      .then(insert)
      .then(async (text) => {
        await start();
        answer(201, text);
      })
      .catch((error: unknown) => answer(500, String(error)));
  });
  server.listen(Number(process.env['PORT']), '127.0.0.1', () => {
    process.stdout.write('{"msg":"ready"}\n');
  });
}

void main();
