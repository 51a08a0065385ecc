// A hundred payments that a stop of payouts has held go on through each adapter when it is lifted:
// every one is ordered once, and captured.
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import { until } from '../../../src/dev/until';
import { createMusePayProvider } from '../../../src/providers/musepay/provider';
import { requestIdOf } from '../../../src/providers/musepay/requests';
import { createTransFiProvider } from '../../../src/providers/transfi/provider';
import { readOne } from '../../../src/postgres/database';
import { stepKey } from '../../../src/domain/ids';
import { openMusePay } from '../../providers/musepay/simulator';
import { openTransFiSimulator } from '../../providers/transfi/simulator';
import { bracket } from '../../support/brackets';
import { times } from '../../support/builders';
import { aThaiCode, aVietnameseCode } from '../../support/payments/qr-codes';
import {
  allowPayoutsIn,
  ledgerViolations,
  openLiveSetup,
  repairerOf,
  type LiveSetup,
} from './setup';

const HELD = 100;
const outbound = bracket(
  () => Promise.resolve(createProviderOutbound()),
  (opened) => opened.close(),
);
const musepay = bracket(
  () => openMusePay(),
  (opened) => opened.close(),
);
const transfi = bracket(
  () => openTransFiSimulator(() => ({})),
  (opened) => opened.close(),
);

let live: LiveSetup;
afterEach(() => live.close(), 60_000);

async function countOf(status: string): Promise<number> {
  const { payments } = await readOne<{ readonly payments: number }>(live.world.bed.database, {
    text: 'select count(*) as payments from payment_intents where status = $1',
    values: [status],
  });
  return payments;
}

/** The workflow repairer continues a batch of them at each poll, as every second in a worker. */
async function areCaptured(): Promise<boolean> {
  await repairerOf(live.world).poll();
  return (await countOf('captured')) === HELD;
}

it.each([
  {
    ...({ adapter: 'http', corridor: 'th_qrpay', code: aThaiCode({ '54': '398.00' }) } as const),
    ...{ providerOf: () => undefined, executionsOf: undefined },
  },
  {
    ...({ adapter: 'musepay', corridor: 'th_qrpay', code: aThaiCode({ '54': '398.00' }) } as const),
    providerOf: () => createMusePayProvider(outbound, musepay),
    executionsOf: (key: string) => musepay.executionsOf(requestIdOf(key) ?? ''),
  },
  {
    ...({ adapter: 'transfi', corridor: 'vn_qrpay' } as const),
    code: aVietnameseCode({ '54': '317500' }),
    providerOf: () => createTransFiProvider(outbound, transfi),
    executionsOf: (key: string) => transfi.executionsOf(key),
  },
])(
  'by $adapter',
  async ({ adapter, corridor, code, providerOf, executionsOf }) => {
    const made = providerOf();
    live = await openLiveSetup(made && { provider: { ...made, account: `${adapter}/main` } });
    const { world, payer } = live;
    await world.bed.payoutStops.stop({ actor: 'ann', reason: 'a drill', kind: 'operator' });
    const headers = { 'Content-Type': 'application/json', Prefer: 'respond-async' };
    const confirmation = { headers, body: JSON.stringify({ qr_payload: code }) };
    const intents = await times(HELD, () => payer.create({ corridor }));
    for (const intent of intents) await payer.confirm(intent, payer.mint(intent), confirmation);
    await expect(countOf('authorized')).resolves.toBe(HELD);
    await allowPayoutsIn(world);
    expect(await until(areCaptured, { timeoutMs: 60_000, everyMs: 1_000 })).toBe(true);
    const journal = await world.executed();
    const executed = intents.map(({ intentId }) => {
      const key = stepKey(intentId, 'payout');
      return executionsOf?.(key) ?? journal.filter((one) => one.key === key).length;
    });
    expect(new Set(executed)).toEqual(new Set([1]));
    await expect(ledgerViolations(world)).resolves.toEqual([]);
  },
  120_000,
);
