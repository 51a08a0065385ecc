// Each payctl command of docs/operations.md is carried out as it stands there, in its order, on a
// running system; placeholders get values of that system.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../src/dev/until';
import type { Intent } from '../../src/sdk';
import { payctlCommandsOf, wordsOf } from '../support/docs/payctl-commands';
import { withOperatedSystem } from '../support/programs/operated-system';

/** Named without what they require. */
const NAMES = ['payctl accounts book', 'payctl intents show', 'payctl partners create'];
const COMMANDS = payctlCommandsOf('operations.md').filter((command) => !NAMES.includes(command));
/** The exit codes that are not 0. */
const REFUSED = {
  'payctl payouts allow --after-restore --reason TEXT': 1,
  'payctl intents resolve ID --outcome declined --evidence TEXT': 1,
  'payctl intents close-lost ID --evidence TEXT': 1,
  // In the sandbox four eyes are off, so nothing waits.
  'payctl approvals show ID': 1,
  'payctl approvals approve ID': 1,
  'payctl approvals reject ID --reason TEXT': 1,
  'payctl approvals approve ID --alone --reason TEXT': 1,
};
const HOUR_MS = 3_600_000;
const ATTENTION_WITHIN = { timeoutMs: 120_000, everyMs: 1_000 };

const system = withOperatedSystem('operations-page');
const { directory } = system;
const secrets: Record<string, string> = {};
const payctl = (...args: readonly string[]) => system.payctl(args, secrets);

it('each command of the page does what it says, or refuses with a sentence', async () => {
  const values = await prepared();
  const codes = new Map<string, number>();
  for (const command of COMMANDS) {
    const { code, stderr } = await payctl(...wordsOf(command, values(command)));
    if (code !== 0) codes.set(command, code);
    expect(stderr).toMatch(code === 1 ? /^payctl: [A-Z][^]*\.\n$|^payctl: pi_[^]*\.\n$/ : /^$/);
  }
  expect(Object.fromEntries(codes)).toEqual(REFUSED);
}, 400_000);

/** @returns what each placeholder of a command stands for */
async function prepared() {
  const [sandbox, partner] = [system.sandbox(), system.partner()];
  const { create, mint, statusBecomes } = system.payer();
  const created = await create(1_250);
  const token = await mint(created);
  Object.assign(secrets, { SESSION_TOKEN: token, SIGNING_SECRET: partner.signing_secret });
  const captured = await system.confirmed(1_250);
  const attended = await Promise.all([40_010, 40_005, 40_005, 40_008].map(system.confirmed));
  const [returned, unknown, silent, differing] = attended;
  await statusBecomes(captured, 'captured');
  const isRaised = async () => {
    const { stdout } = await payctl('intents', 'list', '--attention', '--json');
    return attended.every(({ intentId }) => stdout.includes(intentId));
  };
  expect(await until(isRaised, ATTENTION_WITHIN)).toBe(true);
  const url = `${sandbox.base_url}/v1/payment_intents/${created.intentId}`;
  const read = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const statement = await fetch(`${sandbox.provider_url}/statement`, {
    headers: { accept: 'text/csv' },
  });
  writeFileSync(join(directory, 'statement.csv'), await statement.text());
  const shared = {
    ...{ $ID: captured.intentId, INTENT: created.intentId, PARTNER: partner.partner_id },
    ...{ acme: partner.partner_id, KEY_ID: partner.key_id, URL: partner.webhook_inbox_url },
    ...{
      C: captured.corridor,
      CORRIDOR: captured.corridor,
      N: '1',
      CENTS: '100000',
      COUNT: '10',
      prod: 'sandbox',
    },
    ...{ METHOD: 'GET', PATH: `/v1/payment_intents/${created.intentId}` },
    EVENT_ID: await eventOf(captured),
    req_0123456789abcdef01234567: read.headers.get('x-request-id'),
    'api.log': join(directory, 'logs', 'api.log'),
    'statement.csv': join(directory, 'statement.csv'),
    '2026-03-01T23:00:00Z': new Date(Date.now() - HOUR_MS).toISOString(),
    '2026-03-03T00:00:00Z': new Date().toISOString(),
  };
  const ids: readonly (readonly [RegExp, Intent | undefined])[] = [
    ...[[/acknowledge/, returned] as const, [/confirm/, created] as const],
    ...[[/outcome paid/, unknown] as const, [/outcome declined|reference/, silent] as const],
    ...[[/resume/, differing] as const, [/./, captured] as const],
  ];
  return (command: string) => {
    const ID = ids.find(([verb]) => verb.test(command))?.[1]?.intentId;
    return { ...shared, ID, TEXT: `page-${command.replaceAll(/\W+/g, '-')}` } as Readonly<
      Record<string, string>
    >;
  };
}

async function eventOf({ intentId }: Intent): Promise<string> {
  const { stdout } = await payctl('intents', 'show', intentId, '--json');
  const { webhooks } = JSON.parse(stdout) as { webhooks: readonly { event_id: string }[] };
  return webhooks[0]?.event_id ?? 'none';
}
