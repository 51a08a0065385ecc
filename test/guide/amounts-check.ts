// Checks the guide's table of amounts against the running sandbox: what a partner sees of each.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sandboxSchema, type Sandbox } from '../../src/dev/demo/sandbox-file';
import { until } from '../../src/dev/until';
import { SCENARIOS, type Scenario } from '../../src/sandbox/scenarios';
import { verifyWebhook } from '../../src/sdk';
import { seenByPartner } from '../support/docs/seen-by-partner';
import { createSandboxPayer } from '../support/payments/sandbox-payer';
import { demand, type Workplace } from './workplace';

/** An amount of the last row. */
const ANY_OTHER = 1_250;
/** Longer than the slowest row takes: 30 s pending, and the retries. */
const SETTLED_WITHIN_MS = 90_000;
/** Longer than any of the other rows stays authorized before its webhook. */
const STAYS_MS = 40_000;

export async function checkAmounts({ settings }: Workplace): Promise<void> {
  const file = join(settings['LOCAL_DIR'] ?? '', 'sandbox.json');
  const sandbox = sandboxSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  await Promise.all(SCENARIOS.map((scenario) => checkAmount(sandbox, scenario)));
}

async function checkAmount(sandbox: Sandbox, scenario: Scenario): Promise<void> {
  const { amountUsdCents } = scenario;
  const expected = seenByPartner(scenario);
  const amount = amountUsdCents === 'any other' ? ANY_OTHER : amountUsdCents;
  const isSlow = expected.statuses.length > 1;
  const isSettled = expected.webhook !== null;
  const seen = await observe(sandbox, { amount, isSlow, isSettled });
  const isRight = JSON.stringify(seen) === JSON.stringify(expected);
  const text = { code: null, stdout: JSON.stringify(seen), stderr: JSON.stringify(expected) };
  demand(isRight, `the row of ${amount} differs from the sandbox`, text);
}

interface Observed {
  readonly amount: number;
  /** Whether `authorized` shall be seen before the last status. */
  readonly isSlow: boolean;
  readonly isSettled: boolean;
}

async function observe(sandbox: Sandbox, { amount, isSlow, isSettled }: Observed) {
  const [partner] = sandbox.partners;
  if (partner === undefined) throw new Error('the sandbox has no partner');
  const payer = createSandboxPayer(sandbox, partner);
  const intent = await payer.create(amount, 'th_qrpay');
  const prefer = isSlow ? 'respond-async' : 'wait=8';
  const confirmed = await payer.confirm(intent, await payer.mint(intent), { prefer });
  const { status } = (await confirmed.json()) as { readonly status: string };
  demand(confirmed.status === 200, `the confirm of ${amount} is not 200`, NOTHING);
  const statuses = [status];
  const webhooks: string[] = [];
  const isThere = async () => {
    const now = (await payer.client.getIntent(intent.intentId)).status;
    if (now !== statuses.at(-1)) statuses.push(now);
    webhooks.push(...(await eventsOf(partner, intent.intentId)));
    return webhooks.length > 0;
  };
  await until(isThere, { timeoutMs: isSettled ? SETTLED_WITHIN_MS : STAYS_MS, everyMs: 500 });
  return { statuses, webhook: webhooks[0] ?? null };
}

const NOTHING = { code: null, stdout: '', stderr: '' };

type Partner = Sandbox['partners'][number];

async function eventsOf(partner: Partner, intentId: string): Promise<readonly string[]> {
  const answer = await fetch(partner.webhook_inbox_url, { signal: AbortSignal.timeout(10_000) });
  const inbox = (await answer.json()) as readonly {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }[];
  return inbox
    .filter(({ body }) => body.includes(intentId))
    .map(({ headers, body }) =>
      String(verifyWebhook(body, headers, [partner.webhook_secret]).type),
    );
}
