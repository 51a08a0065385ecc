// A provider that was paused denies a key although the order waits in one of its connections, and
// executes it then: its first "unknown key" releases no debit (decision 148).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryTwice } from '../../activities/payout-decision';
import { byCorridor } from '../../src/corridors/names';
import { until } from '../../src/dev/until';
import { stepKey } from '../../src/domain/ids';
import { usdCents } from '../../src/domain/money';
import { createProviderOutbound } from '../../src/http/provider-outbound';
import { PROVIDERS } from '../../src/providers/registry';
import { anIntentId } from '../support/builders';
import { bracket } from '../support/brackets';
import { startProgram } from '../support/programs/own-program';
import { ACCOUNT, IN_CENTS, NOT_ORDERED } from '../support/payments/accounts';

const TOKEN = 'a-token-of-the-paused-provider';
const PAYOUT = {
  intentId: anIntentId(),
  amountUsdCents: usdCents(1_250),
  corridor: 'th_qrpay',
} as const;
const ORDER = { ...PAYOUT, ...IN_CENTS, key: stepKey(PAYOUT.intentId, 'payout'), qrPayload: null };
const AT_ONCE = { isInTime: () => true, timeoutMs: 100 };

const sandbox = bracket(
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'paused-provider-'));
    const program = startProgram('sandbox', {
      ...{ PROVIDER_TOKEN: TOKEN, PROVIDER_PORT: '0', PARTNER_PORT: '0' },
      ...{ SANDBOX_DIR: folder, SANDBOX_PARTNERS_FILE: join(folder, 'partners.json') },
    });
    const port = () => /"provider_port":(\d+)/.exec(program.log())?.[1];
    await until(() => port() !== undefined, { timeoutMs: 30_000 });
    return { program, folder, baseUrl: `http://127.0.0.1:${String(port())}` };
  },
  async ({ program, folder }) => {
    await program.kill();
    rmSync(folder, { recursive: true });
  },
);

/** The second query begins once the order is executed. */
async function untilPaid() {
  const journal = () => fetch(`${sandbox.baseUrl}/journal`).then((reply) => reply.text());
  return until(async () => (await journal()).includes(ORDER.key), { timeoutMs: 30_000 });
}

/** A provider with connections of its own. */
const connect = () => ({
  ...PROVIDERS.http(createProviderOutbound(), { baseUrl: sandbox.baseUrl, token: TOKEN }),
  account: ACCOUNT,
});

it('a provider that was paused has paid by its second answer, whatever its first says', async () => {
  const [asking, paying] = [connect(), connect()];
  await expect(asking.find(ORDER)).resolves.toEqual({ outcome: 'not_found' });
  sandbox.program.signal('SIGSTOP');
  await expect(paying.pay(ORDER, AT_ONCE)).resolves.toMatchObject({ outcome: 'unknown' });
  const answering = queryTwice(
    { ...PAYOUT, order: NOT_ORDERED },
    {
      formerProviders: {},
      providers: byCorridor(() => asking),
      pause: untilPaid,
    },
  );
  // The query is sent by the time another order has timed out.
  await connect().pay({ ...ORDER, key: stepKey(anIntentId(), 'payout') }, AT_ONCE);
  sandbox.program.signal('SIGCONT');
  await expect(answering).resolves.toMatchObject({ answer: { outcome: 'paid' } });
});
