// The low-balance warning of a worker: a metric for the balance, and one log line each time the
// balance falls below the threshold, not for each payment (architecture, section 5).
import { createWorkerMetrics } from '../../../src/observe/worker-metrics';
import type { Log } from '../../../src/ports/observe';
import { createDatabase } from '../../../src/postgres/database';
import {
  fundHoldingAccount,
  createHoldingAccountWatch,
} from '../../../src/postgres/ledger/holding-account';
import { usdCents } from '../../../src/domain/money';
import { anIntent, recogniseErrorsOfNode } from '../../support/builders';
import { aPartner } from '../../support/payments/partner';
import { withDatabase } from '../../support/brackets';
import { NO_POOL } from '../../support/no-pool';

recogniseErrorsOfNode();

const LOW = 1_000;

const bed = withDatabase({ isPerTest: true, fundedUsdCents: 1_200 });

function logInto(lines: string[]): Log {
  const write = (level: string) => (fields: object, message: string) => {
    lines.push(`${level}: ${message} ${'err' in fields ? '' : JSON.stringify(fields)}`.trim());
  };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

function watching(database = bed.database) {
  const lines: string[] = [];
  const metrics = createWorkerMetrics(NO_POOL, LOW);
  const watch = createHoldingAccountWatch({
    database,
    lowUsdCents: LOW,
    metrics,
    log: logInto(lines),
  });
  const gauge = async () => /^holding_balance_usd_cents (.*)$/m.exec(await metrics.expose())?.[1];
  return { watch, lines, metrics, gauge };
}

async function pay(amount: number): Promise<void> {
  const partner = await aPartner(bed);
  const { intentId, amountUsdCents } = await anIntent(bed, partner, {
    status: 'authorized',
    amountUsdCents: usdCents(amount),
  });
  await expect(bed.funds.debit(intentId, amountUsdCents)).resolves.toBe('debited');
}

const WARNED = (balance: number) =>
  'warn: the holding account runs low ' +
  `{"balance_usd_cents":${String(balance)},"low_usd_cents":1000}`;

it('the watch logs nothing while there is enough, and shows the balance', async () => {
  const { watch, lines, metrics, gauge } = watching();
  await expect(gauge()).resolves.toBeUndefined();
  await watch.poll();
  await pay(200);
  await watch.poll();
  expect(lines).toEqual([]);
  await expect(gauge()).resolves.toBe('1000');
  await expect(metrics.expose()).resolves.toMatch(/^holding_low_usd_cents 1000$/m);
});

it('the watch warns once when the account begins to run low', async () => {
  const { watch, lines, gauge } = watching();
  await pay(201);
  await watch.poll();
  for (const amount of [1, 2, 3]) {
    await pay(amount);
    await watch.poll();
  }
  expect(lines).toEqual([WARNED(999)]);
  await expect(gauge()).resolves.toBe('993');
});

it('the watch warns again when the account runs low again after a funding', async () => {
  const { watch, lines } = watching();
  await pay(201);
  await watch.poll();
  await fundHoldingAccount(bed.database, { key: 'fund:more', amountUsdCents: 100, actor: 'test' });
  await watch.poll();
  await pay(100);
  await watch.poll();
  expect(lines).toEqual([
    WARNED(999),
    'info: the holding account no longer runs low {"balance_usd_cents":1099,"low_usd_cents":1000}',
    WARNED(999),
  ]);
});

it('the watch shows no balance while it cannot be read, and logs a warning', async () => {
  const away = createDatabase({
    url: 'postgres://none@127.0.0.1:1/none',
    poolSize: 1,
    onLostConnection: () => undefined,
  });
  const { watch, lines, metrics, gauge } = watching(away);
  metrics.holdingBalanceRead(1_200);
  await watch.poll();
  await away.close();
  await expect(gauge()).resolves.toBeUndefined();
  expect(lines).toEqual(['warn: the holding balance could not be read; it is read again in 10 s']);
});

it('the watch reads the balance at its start, and ends when its signal is aborted', async () => {
  const { watch, lines } = watching();
  await pay(201);
  const stopping = new AbortController();
  const running = watch.run(stopping.signal);
  stopping.abort();
  await running;
  expect(lines).toEqual([WARNED(999)]);
});
