// The reference of a read: a bare Koa and one SELECT by primary key, answered with the documented
// members. It verifies no credentials.
import Koa from 'koa';
import { Pool } from 'pg';

interface Row {
  readonly intent_id: string;
  readonly status: string;
  readonly amount_usd_cents: string;
  readonly corridor: string;
  readonly created_at: Date;
}

/** As many connections as the API holds by default. */
const pool = new Pool({ connectionString: process.env['DATABASE_URL'] ?? '', max: 20 });

const app = new Koa();
app.use(async (ctx) => {
  const { rows } = await pool.query<Row>({
    name: 'select',
    text: `select intent_id, status, amount_usd_cents, corridor, created_at from payment_intents where intent_id = $1`,
    values: [ctx.path.slice(ctx.path.lastIndexOf('/') + 1)],
  });
  const row = rows[0];
  if (row === undefined) return;
  ctx.body = { ...row, amount_usd_cents: Number(row.amount_usd_cents) };
});
app.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  process.stdout.write('{"msg":"ready"}\n');
});
