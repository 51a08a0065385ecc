// The reference of webhooks: the fastest straightforward program that posts so many bodies to so many endpoints, so many at
// a time. It signs nothing, keeps nothing and knows nothing. `POST /run` with JSON { ports, posts, inFlight } runs it.
import { createServer } from 'node:http';
import { Agent, request } from 'undici';
import { listen } from '../../../src/main/listen';

interface Run {
  readonly ports: readonly number[];
  /** To each. */
  readonly posts: number;
  /** To each. */
  readonly inFlight: number;
}

const agent = new Agent({ connections: 64, pipelining: 1 });
const HOST = '127.0.0.1';
/** As long as ours. */
const BODY = `{"type":"payment_intent.cancelled","timestamp":"2026-03-02T12:00:00.000Z","data":{"intent_id":"pi_01kjq6psg0xzshhf3yabsbhax5","status":"cancelled","amount_usd_cents":1250,"corridor":"th_qrpay","created_at":"2026-03-02T12:00:00.000Z"}}`;
const SIGNATURE = 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=';

async function postAll({ ports, posts, inFlight }: Run): Promise<void> {
  await Promise.all(
    ports.flatMap((port) => {
      let left = posts;
      const lane = async () => {
        while (left > 0) {
          left -= 1;
          await postOnce(port, left);
        }
      };
      return Array.from({ length: inFlight }, lane);
    }),
  );
}

async function postOnce(port: number, nth: number): Promise<void> {
  const { body } = await request(`http://${HOST}:${String(port)}/webhooks`, {
    dispatcher: agent,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'bare-posts/1',
      'webhook-id': `evt_${String(nth).padStart(26, '0')}`,
      'webhook-timestamp': '1772452800',
      'webhook-signature': SIGNATURE,
    },
    body: BODY,
  });
  await body.dump();
}

const server = createServer((incoming, response) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const run = JSON.parse(Buffer.concat(chunks).toString()) as Run;
    void postAll(run).then(() => response.end('{}'));
  });
});
void listen(server, Number(process.env['PORT']), HOST).then(() => {
  process.stdout.write('{"msg":"ready"}\n');
});
