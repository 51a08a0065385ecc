// Bench `reconcile`: `payctl reconcile` over a statement of 1 000 000 lines and a database with as
// many captured payments (architecture, section 8: under 60 s). It also measures memory and checks
// that exactly the planted differences are found.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { ROOT } from '../../../src/dev/tools';
import { KEY_ENCRYPTION_KEY } from '../../support/builders';
import { compiledFrom } from '../compiled';
import { COMMON } from '../environments';
import { fillHistory } from './history-fill';
import { atMost, type Counter, type Bench } from '../figures/report';
import type { Stand } from '../stand';

const LINES = 1_000_000;
const QUICK_LINES = 20_000;
const SECONDS_MAX = 60;
const MEMORY_MAX_MB = 300;
const READ_EVERY_MS = 100;
const EXIT_DIFFERENCES = 3;

export const reconcile: Bench = {
  name: 'reconcile',
  settings: {
    stored: `${String(LINES)} captured payments`,
    statement:
      'a file with a line of each, but for what is planted: a payment is missing, one is of another amount, one is there twice',
    ours: 'src/ops/payctl.ts compiled as by npm run build, a process of its own',
  },
  async run(stand) {
    const { world, isQuick, printProgress } = stand;
    const url = await world.makeDatabase('books');
    const lines = isQuick ? QUICK_LINES : LINES;
    await fillHistory({ url, partnerId: 'partner-of-books', intents: lines }, printProgress);
    const folder = await mkdtemp(join(tmpdir(), 'payment-intents-statement-'));
    const counters: Counter[] = [];
    for (const format of FORMATS) {
      const file = join(folder, 'statement');
      await writeStatement({ file, url, lines }, format);
      counters.push(...(await measure(format, { file, url, lines }, stand)));
    }
    await rm(folder, { recursive: true });
    return [{ counters }];
  },
};

interface Place {
  readonly file: string;
  readonly url: string;
  readonly lines: number;
}

interface Format {
  readonly name: string;
  readonly head: string;
  readonly line: string;
  readonly order: string;
}

const FORMATS: readonly Format[] = [
  {
    name: 'CSV, in the order of execution',
    head: 'key,amount_usd_cents,corridor,executed_at,environment\r\n',
    line: `format(E'%s,%s,%s,%s,sandbox\\r\\n', key, amount_usd_cents, corridor, executed_at)`,
    order: 'executed_at',
  },
  {
    name: 'JSON lines, in no order',
    head: '',
    line: `json_build_object('key', key, 'amount_usd_cents', amount_usd_cents, 'corridor', corridor,
                             'executed_at', executed_at, 'environment', 'sandbox')::text || E'\\n'`,
    order: 'md5(key)',
  },
];

/**
 * Selects a payment in the middle of the table by the number in its user's name (history-fill.ts).
 */
const planted = (lines: number, which: number) =>
  `i.partner_user_id = 'user-${String(Math.floor(lines / 2) + which)}'`;

async function writeStatement({ file, url, lines }: Place, { head, line, order }: Format) {
  const payments = `
    select i.intent_id || ':payout' as key, i.corridor, rfc3339(i.captured_at - interval '10 s') as executed_at,
           i.amount_usd_cents + case when ${planted(lines, 1)} then 1 else 0 end as amount_usd_cents
      from payment_intents i
     where not ${planted(lines, 0)}`;
  const client = new Client(url);
  await client.connect();
  await client.query('begin');
  await client.query(`
    declare statement cursor for
     select ${line} as line
       from (${payments} union all ${payments} and ${planted(lines, 2)}) as lines
      order by ${order}`);
  await pipeline(Readable.from(textOf(client, head)), createWriteStream(file));
  await client.end();
}

async function* textOf(client: Client, head: string): AsyncGenerator<string> {
  yield head;
  for (;;) {
    const { rows } = await client.query<{ readonly line: string }>('fetch 20000 from statement');
    if (rows.length === 0) return;
    yield rows.map(({ line }) => line).join('');
  }
}

async function measure(
  { name }: Format,
  { file, url, lines }: Place,
  { printProgress }: Stand,
): Promise<readonly Counter[]> {
  const ran = await runPayctl(url, ['reconcile', '--statement', file, '--json']);
  printProgress(`${name}: ${ran.seconds.toFixed(1)} s`);
  const { findings } = JSON.parse(ran.printed) as {
    findings: readonly { readonly kind: string }[];
  };
  const wrong = new Set(['captured_not_paid', 'amount_differs', 'paid_twice']);
  for (const { kind } of findings) if (!wrong.delete(kind)) wrong.add(`${kind} again`);
  const title = `reconcile ${String(lines)} lines, ${name}`;
  return [
    atMost(`${title}: seconds`, Number(ran.seconds.toFixed(1)), SECONDS_MAX),
    atMost(`${title}: MB of memory`, ran.memoryMb, MEMORY_MAX_MB),
    atMost(`${title}: differences missed or invented`, wrong.size, 0),
  ];
}

async function runPayctl(url: string, args: readonly string[]) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(ROOT, compiledFrom('src/ops/payctl.ts')), ...args], {
    env: {
      ...COMMON,
      DATABASE_URL: url,
      KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY.toString('base64'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let memoryMb = 0;
  const sampling = setInterval(() => {
    memoryMb = Math.max(memoryMb, peakMemoryMb(child.pid ?? 0));
  }, READ_EVERY_MS);
  const [printed, errors] = [text(child.stdout), text(child.stderr)];
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(sampling);
  if (code !== EXIT_DIFFERENCES) throw new Error(`payctl exited ${String(code)}: ${await errors}`);
  const seconds = (performance.now() - startedAt) / 1_000;
  return { seconds, memoryMb, printed: await printed };
}

/** The peak that the kernel reports, or 0 where the system is not Linux. */
function peakMemoryMb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
    return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024);
  } catch {
    return 0;
  }
}
