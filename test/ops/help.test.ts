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
  ['accounts', 'show'],
  ['accounts', 'fund'],
  ['accounts', 'settle-owed'],
  ['ledger', 'check'],
  ['webhooks', 'set'],
  ['webhooks', 'rotate'],
  ['webhooks', 'disable'],
  ['webhooks', 'list'],
  ['webhooks', 'replay'],
  ['requests', 'why'],
];

const help = async (...command: readonly string[]) => {
  const ran = await runPayctl({ url: 'unused' }, [...command, '--help']);
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  return ran.stdout;
};

const NOUNS = [...new Set(COMMANDS.map(([noun = '']) => noun))];
/** A command without a noun: it is about a request, of which nothing is kept here. */
const SIGN = 'sign';

it.each(['', ...NOUNS, ...COMMANDS.map((command) => command.join(' ')), SIGN])(
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

it('marks the options that partners create cannot do without', async () => {
  const text = (await help('partners', 'create')).replaceAll(/\n {10,}/g, ' ');
  const required = [...text.matchAll(/^ +(--[a-z-]+) .*\(required\)$/gm)].map(([, name]) => name);
  expect(required).toEqual(['--name', '--jwks-url', '--allow']);
  expect(text).toContain('--name <slug> --jwks-url <url> --allow <cidr> [options]');
});

it('tells in order how to replace the key-encryption key', async () => {
  expect(await help('keys', 'reseal')).toMatch(
    /1\. Start every api[^]*2\. Give payctl[^]*3\. Run it again/,
  );
});
