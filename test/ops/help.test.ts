// What payctl tells whoever asks it: every command says in whole sentences what it does, which options it needs, and how
// it exits (docs/operations.md).
import { runPayctl } from './payctl';

const COMMANDS = [
  ['partners', 'create'],
  ['partners', 'set'],
  ['partners', 'list'],
  ['partners', 'show'],
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
  ['intents', 'acknowledge'],
  ['intents', 'close-lost'],
  ['accounts', 'show'],
  ['accounts', 'fund'],
  ['accounts', 'settle-owed'],
  ['ledger', 'check'],
  ['payouts', 'show'],
  ['payouts', 'stop'],
  ['payouts', 'allow'],
  ['webhooks', 'set'],
  ['webhooks', 'rotate'],
  ['webhooks', 'disable'],
  ['webhooks', 'list'],
  ['webhooks', 'replay'],
  ['requests', 'why'],
];

/** Each is a process, so that each is asked for once. */
const told = new Map<string, ReturnType<typeof runPayctl>>();

const help = async (...command: readonly string[]) => {
  const name = command.join(' ');
  const running = told.get(name) ?? runPayctl({ url: 'unused' }, [...command, '--help']);
  told.set(name, running);
  const ran = await running;
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  return ran.stdout;
};

const KEPT_TEXT = /^ +--(reason|evidence) <text> .*?(kept .*?)?(?: \(required\))?$/gm;
const unwrapped = (text: string) => text.replaceAll(/\n {10,}/g, ' ');

const NOUNS = [...new Set(COMMANDS.map(([noun = '']) => noun))];
/** Commands without a noun. */
const ALONE = ['sign', 'reconcile'];

it.each(['', ...NOUNS, ...COMMANDS.map((command) => command.join(' ')), ...ALONE])(
  'says what it does and how it exits: payctl %s',
  async (command) => {
    const text = await help(...command.split(' ').filter((word) => word !== ''));
    expect(text).toMatch(/^Usage: payctl .*\n\n[A-Z][^]*?\.\n\n/);
    expect(text).toContain('Exit codes: 0 done, 1 refused or failed, 2 wrong usage or settings.');
  },
);

it.each(NOUNS)('names every command of %s', async (noun) => {
  const named = [...(await help(noun)).matchAll(/^ {2}([a-z-]+) \[options\]/gm)];
  const verbs = COMMANDS.filter(([first]) => first === noun).map(([, verb]) => verb);
  expect(named.map(([, verb]) => verb)).toEqual(verbs);
});

it('says of every reason and evidence where it is kept, and that no personal data belong there', async () => {
  const kept = await Promise.all(
    COMMANDS.map(async (command) => {
      const options = unwrapped(await help(...command)).matchAll(KEPT_TEXT);
      return [...options].map(([, option, where]) => {
        return `${command.join(' ')} --${String(option)}: ${String(where)}`;
      });
    }),
  );
  const [inRows, inRuns] = ['in the audit trail', 'in the audit trail and in Temporal'];
  expect(kept.flat()).toEqual(
    [
      ['partners set --reason', inRows],
      ['intents refund --reason', inRuns],
      ['intents resolve --evidence', inRuns],
      ['intents confirm --reason', inRuns],
      ['intents acknowledge --reason', inRows],
      ['intents close-lost --evidence', inRuns],
      ['payouts stop --reason', inRows],
      ['payouts allow --reason', inRows],
      ['webhooks set --reason', inRows],
      ['webhooks rotate --reason', inRows],
      ['webhooks disable --reason', inRows],
      ['webhooks replay --reason', inRows],
    ].map(([option, where]) => `${option}: kept ${where}: no personal data`),
  );
});

it('marks the options that partners create cannot do without', async () => {
  const text = unwrapped(await help('partners', 'create'));
  const required = [...text.matchAll(/^ +(--[a-z-]+) .*\(required\)$/gm)].map(([, name]) => name);
  expect(required).toEqual(['--name', '--jwks-url', '--allow']);
  expect(text).toContain('--name <slug> --jwks-url <url> --allow <cidr> [options]');
});

it('tells in order how to replace the key-encryption key', async () => {
  expect(await help('keys', 'reseal')).toMatch(
    /1\. Start every api[^]*2\. Give payctl[^]*3\. Run it again/,
  );
});
