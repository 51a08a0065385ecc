// The reference of refusals: the fastest straightforward program that answers 401 with our body, and does nothing else.
import Koa from 'koa';

const BODY = JSON.stringify({ error: 'authentication_failed', message: 'Authentication failed.' });

const app = new Koa();
app.use((ctx) => {
  ctx.status = 401;
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = BODY;
});
app.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  process.stdout.write('{"msg":"ready"}\n');
});
