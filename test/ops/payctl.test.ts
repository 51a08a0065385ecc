// The help and the exit codes of payctl: every command says in whole sentences what it does, which
// options it needs, and how it exits.
import { expectRejected, rejection, runPayctl, textOf } from '../support/programs/payctl';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { opsEnvironment, rejectIgnoredSealingKey } from '../../src/ops/environment';
import { Rejection } from '../../src/ops/rejection';
import { KEY_ENCRYPTION_KEY } from '../support/builders';
import { aPartner } from '../support/payments/partner';
import { withDatabase, withFolder } from '../support/brackets';

const COMMANDS = [
  ['partners', 'create'],
  ['partners', 'set'],
  ['partners', 'list'],
  ['partners', 'show'],
  ['partners', 'totals'],
  ['partners', 'suspend'],
  ['partners', 'resume'],
  ['partners', 'erase-user'],
  ['corridors', 'close'],
  ['corridors', 'open'],
  ['data', 'prune'],
  ['keys', 'issue'],
  ['keys', 'list'],
  ['keys', 'revoke'],
  ['keys', 'reseal'],
  ['intents', 'show'],
  ['intents', 'list'],
  ['intents', 'refund'],
  ['intents', 'resolve'],
  ['intents', 'confirm'],
  ['intents', 'resume'],
  ['intents', 'reference'],
  ['intents', 'acknowledge'],
  ['intents', 'close-lost'],
  ['accounts', 'list'],
  ['accounts', 'fund'],
  ['accounts', 'book-repayment'],
  ['accounts', 'book'],
  ['ledger', 'check'],
  ['reconcile', 'findings'],
  ['payouts', 'show'],
  ['payouts', 'stop'],
  ['payouts', 'allow'],
  ['webhooks', 'set'],
  ['webhooks', 'rotate'],
  ['webhooks', 'disable'],
  ['webhooks', 'list'],
  ['webhooks', 'replay'],
  ['requests', 'why'],
  ['requests', 'list'],
  ['token', 'explain'],
];

/** Each help text is printed only once. */
const printed = new Map<string, ReturnType<typeof runPayctl>>();

const help = async (...command: readonly string[]) => {
  const name = command.join(' ');
  const running = printed.get(name) ?? runPayctl({ url: 'unused' }, [...command, '--help']);
  printed.set(name, running);
  return textOf(await running);
};

const STORED_TEXT = /^ +--(reason|evidence) <text> .*?(stored .*?)?(?: \(required\))?$/gm;
const unwrapped = (text: string) => text.replaceAll(/\n {10,}/g, ' ');

const NOUNS = [...new Set(COMMANDS.map(([noun = '']) => noun))];
/** Commands without a noun. */
const ALONE = ['status', 'sign'];

it.each(['', ...NOUNS, ...COMMANDS.map((command) => command.join(' ')), ...ALONE])(
  'says what it does and how it exits: payctl %s',
  async (command) => {
    const text = await help(...command.split(' ').filter((word) => word !== ''));
    expect(text).toMatch(/^Usage: payctl .*\n\n[A-Z][^]*?\.\n\n/);
    expect(text).toContain('Exit codes: 0 done, 1 rejected or failed, 2 wrong usage or settings,');
  },
);

it.each(NOUNS)('names every command of %s', async (noun) => {
  const named = [...(await help(noun)).matchAll(/^ {2}([a-z-]+) \[options\]/gm)];
  const verbs = COMMANDS.filter(([first]) => first === noun).map(([, verb]) => verb);
  expect(named.map(([, verb]) => verb)).toEqual(verbs);
});

it('says where every reason and evidence is stored: no personal data', async () => {
  const stored = await Promise.all(
    COMMANDS.map(async (command) => {
      const options = unwrapped(await help(...command)).matchAll(STORED_TEXT);
      return [...options].map(([, option, where]) => {
        return `${command.join(' ')} --${String(option)}: ${String(where)}`;
      });
    }),
  );
  const [inRows, inTemporal] = ['in the audit trail', 'in the audit trail and in Temporal'];
  expect(stored.flat()).toEqual(
    [
      ['partners create --reason', inRows],
      ['partners set --reason', inRows],
      ['partners suspend --reason', inRows],
      ['partners resume --reason', inRows],
      ['partners erase-user --reason', inRows],
      ['corridors close --reason', inRows],
      ['corridors open --reason', inRows],
      ['data prune --reason', inRows],
      ['keys issue --reason', inRows],
      ['keys revoke --reason', inRows],
      ['keys reseal --reason', inRows],
      ['intents refund --reason', inTemporal],
      ['intents resolve --evidence', inTemporal],
      ['intents confirm --reason', inTemporal],
      ['intents acknowledge --reason', inRows],
      ['intents close-lost --evidence', inTemporal],
      ['payouts stop --reason', inRows],
      ['payouts allow --reason', inRows],
      ['webhooks set --reason', inRows],
      ['webhooks rotate --reason', inRows],
      ['webhooks disable --reason', inRows],
      ['webhooks replay --reason', inRows],
    ].map(([option, where]) => `${option}: stored ${where}: no personal data`),
  );
});

const NOWHERE = { url: 'postgres://127.0.0.1:9/unused' };

it.each([
  'intents list --status paid',
  'intents list --since yesterday',
  'intents list --since 2026-13-02T12:00:00Z',
  'intents list --limit 0',
  'intents list --limit 1001',
  'intents show',
  'intents show pi_1 pi_2',
  'intents show pi_1 --all',
  'keys issue',
  'keys list',
  'keys revoke',
  'keys issue a b',
  'keys mint a',
  'partners destroy',
  'webhooks list acme --state lost',
  'webhooks list acme --limit 0',
  'webhooks list acme --limit 1001',
  'webhooks rotate acme --overlap-hours=-1',
  'webhooks rotate acme --overlap-hours=1.5',
  'webhooks rotate acme --overlap-hours=10000',
  'webhooks rotate acme --overlap-hours=x',
  'webhooks replay',
  'webhooks replay --since 2026-03-02T12:00:00Z',
  'webhooks replay --partner acme --since yesterday',
  `webhooks replay evt_${'0'.repeat(26)} --partner acme`,
  `webhooks replay evt_${'0'.repeat(26)} --since 2026-03-02T12:00:00Z`,
  'accounts book-repayment --corridor xx_qrpay --amount-usd-cents 1 --key wire-1',
  'accounts book --corridor th_qrpay --period 2026-13',
  'token explain --for payment',
  'token explain pi_1 pi_2',
])('exits 2 for the wrong usage payctl %s', async (command) => {
  expectRejected(await runPayctl(NOWHERE, command.split(' ')), 2, /^payctl: /);
});

it('prints its help without a command, and exits 2', async () => {
  expectRejected(await runPayctl(NOWHERE, []), 2, /^Usage: payctl /);
});

it.each([
  ['partners create --name x', '--jwks-url'],
  ['partners create --env staging', 'staging'],
  ['partners list --colour red', '--colour'],
  ['webhooks disable acme', '--reason'],
  ['payouts stop', '--reason'],
  ['payouts allow', '--reason'],
])('says what is wrong with payctl %s', async (command, said) => {
  expectRejected(await runPayctl(NOWHERE, command.split(' ')), 2, said);
});

it('marks the required options of partners create', async () => {
  const text = unwrapped(await help('partners', 'create'));
  const required = [...text.matchAll(/^ +(--[a-z-]+) .*\(required\)$/gm)].map(([, name]) => name);
  expect(required).toEqual(['--name', '--jwks-url', '--allow']);
  expect(text).toContain('--name <slug> --jwks-url <url> --allow <cidr> [options]');
});

it('prints the steps to replace the key-encryption key in order', async () => {
  expect(await help('keys', 'reseal')).toMatch(
    /1\. Start every api[^]*2\. Give payctl[^]*3\. Run it again/,
  );
});

// Where payctl works: on DATABASE_URL, or on the sandbox of this clone (architecture, section 7).
describe('where payctl works', () => {
  const SANDBOX_KEY = KEY_ENCRYPTION_KEY.toString('base64');
  const OTHER_KEY = Buffer.alloc(32, 9).toString('base64');

  const bed = withDatabase();
  const folder = withFolder();
  beforeAll(() => {
    writeFileSync(join(folder, 'sandbox.json'), JSON.stringify({ database_url: bed.url }));
    writeFileSync(
      join(folder, 'secrets.json'),
      JSON.stringify({ key_encryption_key: SANDBOX_KEY }),
    );
  });

  /** An environment that names only the folder of the sandbox. */
  const onSandbox = () => ({ DATABASE_URL: '', KEY_ENCRYPTION_KEY: '', LOCAL_DIR: folder });

  it('works on the running sandbox without DATABASE_URL', async () => {
    const { key_id } = await aPartner(bed, { name: 'local' });
    const ran = await runPayctl(bed, ['keys', 'list', 'local', '--json'], onSandbox());
    expect(JSON.parse(ran.stdout)).toMatchObject([{ key_id, status: 'active' }]);
  });

  it.each([
    'partners show nobody',
    'intents list --partner nobody',
    'keys issue nobody --json',
    'keys list nobody --json',
    'webhooks list nobody',
    'webhooks replay --partner nobody',
  ])('rejects %s with one sentence, and exits 1', async (command) => {
    const ran = await runPayctl(bed, command.split(' '));
    expect(ran).toEqual(rejection('There is no partner nobody.'));
  });

  it.each([
    [1, 'keys list local', /No sandbox is set up here .*npm start.*DATABASE_URL\.\n$/],
    [2, 'payouts stop --reason x --as system', /^payctl: --as system is not a name/],
    [2, 'accounts fund --amount-usd-cents 1 --key k --as system', /^payctl: --as system is not/],
    [2, 'intents close-lost pi_1 --evidence  --as ann', /^payctl: --evidence must be one line/],
    [2, 'webhooks list --state pending', /^payctl: --state is about the events of one partner/],
    [2, 'webhooks replay', /^payctl: Give one event_id, or --partner/],
  ])('exits %i with neither of them: %s', async (code, command, said) => {
    const nowhere = { ...onSandbox(), LOCAL_DIR: join(folder, 'nowhere') };
    expectRejected(await runPayctl(bed, command.split(' '), nowhere), code, said);
  });

  it('reads the sealing key from the sandbox, and a second key from the environment', () => {
    const given = { ...onSandbox(), KEY_ENCRYPTION_KEY: OTHER_KEY, KEY_ENCRYPTION_KEY_SECOND: 'x' };
    expect(opsEnvironment(given)).toMatchObject({
      KEY_ENCRYPTION_KEY: SANDBOX_KEY,
      KEY_ENCRYPTION_KEY_SECOND: 'x',
    });
  });

  it('rejects reseal if the given key would be ignored in favour of the sandbox’s', async () => {
    expectRejected(
      await runPayctl(bed, ['keys', 'reseal', '--json'], {
        ...onSandbox(),
        KEY_ENCRYPTION_KEY: OTHER_KEY,
      }),
      1,
      /^payctl: The sandbox seals under the key in its secrets\.json/,
    );
  });

  it('accepts reseal with the sandbox’s own key', () => {
    const same = { ...onSandbox(), KEY_ENCRYPTION_KEY: SANDBOX_KEY };
    for (const environment of [onSandbox(), same]) {
      expect(() => {
        rejectIgnoredSealingKey(environment);
      }).not.toThrow(Rejection);
    }
  });
});
