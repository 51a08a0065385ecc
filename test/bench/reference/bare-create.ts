// The reference of a create: bare Koa, one INSERT into its own table with the answered members, and
// one awaited StartWorkflow. It verifies nothing, and it is not safe to repeat.
import { randomBytes } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import Koa from 'koa';
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

async function bodyOf(request: AsyncIterable<Buffer>): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Body;
}

async function main(): Promise<void> {
  const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
  const client = new Client({ connection });
  await pool.query(`create table if not exists bare_intents (
    intent_id text primary key, partner_user_id text not null, amount_usd_cents bigint not null,
    corridor text not null, status text not null, created_at timestamptz not null)`);
  const app = new Koa();
  app.use(async (ctx) => {
    const text = await insert(await bodyOf(ctx.req));
    // The start delay equals that of a payment, so that no task queue grows.
    await client.workflow.start('bareFlow', {
      workflowId: randomBytes(13).toString('hex'),
      taskQueue: 'bare',
      startDelay: TTL_MS,
    });
    ctx.status = 201;
    ctx.type = 'application/json';
    ctx.body = text;
  });
  app.listen(Number(process.env['PORT']), '127.0.0.1', () => {
    process.stdout.write('{"msg":"ready"}\n');
  });
}

void main();
