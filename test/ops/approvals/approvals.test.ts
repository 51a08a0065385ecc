// payctl where two people decide (decision 159): an operator asks, an approver approves, and each
// verb is one that reads, one that stops, or one that needs both.
import type { Command } from 'commander';
import { createPayctl } from '../../../src/ops/payctl';
import { openFourEyes, type Person } from '../../support/four-eyes';
import { expectRejected, jsonOf, runPayctl, textOf } from '../../support/programs/payctl';

let hands: Awaited<ReturnType<typeof openFourEyes>>;
beforeAll(async () => {
  hands = await openFourEyes();
});
afterAll(() => hands.close());

const as = (person: Person, ...args: readonly string[]) =>
  runPayctl({ url: hands.loginOf[person].url }, args);
const FUND = ['accounts', 'fund', '--amount-usd-cents', '5000', '--json', '--key'];
const ID = expect.any(String) as string;

interface Asked {
  readonly approval: { readonly id: string; readonly verb: string };
}

/** What an operator's command prints that waits for an approval. */
async function asked<More>(...args: readonly string[]): Promise<Asked & More> {
  const { code, stdout, stderr } = await as('ann', ...args);
  expect([code, stderr]).toEqual([4, '']);
  return JSON.parse(stdout) as Asked & More;
}
const approve = (id: string, ...more: readonly string[]) =>
  as('cleo', 'approvals', 'approve', id, '--json', ...more);
const shown = async (id: string) => jsonOf(await as('sue', 'approvals', 'show', id, '--json'));

describe('an operator who funds the account', () => {
  it('exits 4 and changes nothing; the approver carries it out, once', async () => {
    const { approval } = await asked(...FUND, 'wire-1');
    expect(approval).toEqual({ id: ID, verb: 'accounts fund', expires_at: ID });
    const funded = { key: 'wire-1', amount_usd_cents: 5_000, is_repeat: false };
    expect(jsonOf(await approve(approval.id))).toMatchObject(funded);
    expect(await shown(approval.id)).toMatchObject({
      state: 'carried_out',
      asked_by: hands.loginOf.ann.name,
      decided_by: hands.loginOf.cleo.name,
    });
    expectRejected(await approve(approval.id), 1, /It was carried out at .* Nothing was changed/);
    expect(jsonOf(await as('ann', ...FUND, 'wire-1'))).toMatchObject({ is_repeat: true });
  });

  it('reads what waits within 80 columns', async () => {
    const { approval } = await asked(...FUND, 'wire-2');
    const texts = [
      textOf(await as('cleo', 'approvals', 'list')),
      textOf(await as('cleo', 'approvals', 'show', approval.id)),
    ];
    for (const text of texts) {
      expect(text).toContain(approval.id);
      expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
    expect(texts[1]).toMatch(/amount_usd_cents +5000\n/);
  });

  it('is rejected by the approver, in a sentence', async () => {
    const { approval } = await asked(...FUND, 'wire-3');
    const why = ['--reason', 'which wire?'];
    expect(
      jsonOf(await as('cleo', 'approvals', 'reject', approval.id, ...why, '--json')),
    ).toMatchObject({ state: 'rejected', reason: 'which wire?' });
    expectRejected(await approve(approval.id), 1, /It was rejected by login_/);
  });
});

it('the secret of a new key is shown to who asks, and only then', async () => {
  const { partner_id: partner } = hands.partner;
  const issued = await asked<{ readonly signing_secret: string; readonly key_id: string }>(
    ...['keys', 'issue', partner, '--json'],
  );
  expect(issued.signing_secret).toMatch(/^[\w-]{43}$/);
  expect(JSON.stringify(await shown(issued.approval.id))).not.toContain(issued.signing_secret);
  const { key_id } = issued;
  expect(jsonOf(await approve(issued.approval.id))).toEqual({ key_id, signing_secret: null });
  const { rows } = await hands.bed.database.query<{ readonly sealed: Buffer }>({
    text: 'select secret_sealed as sealed from signing_keys where key_id = $1',
    values: [key_id],
  });
  expect(hands.bed.seal.open(rows[0]?.sealed ?? Buffer.alloc(0), key_id)).toBe(
    issued.signing_secret,
  );
});

it('a partner is created with the secrets that were shown to who asked', async () => {
  const made = await asked<{ readonly signing_secret: string; readonly webhook_secret: string }>(
    ...['partners', 'create', '--name', 'new-one', '--jwks-url', 'https://one.example/jwks.json'],
    ...['--allow', '203.0.113.7', '--webhook-url', 'https://one.example/hook', '--env', 'prod'],
    ...['--kyc-max-age', 'none', '--sanctions-max-age', 'none', '--json'],
  );
  expect(made.webhook_secret).toMatch(/^whsec_/);
  expect(jsonOf(await approve(made.approval.id))).toMatchObject({
    ...{ partner_id: 'new-one', signing_secret: null, webhook_secret: null },
  });
});

it('an approval is void once the partner has changed, and says so', async () => {
  const { partner_id: partner } = hands.partner;
  const set = ['partners', 'set', partner, '--json', '--usd-cents-per-day'];
  const { approval } = await asked(...set, '1000');
  await hands.bed.database.query({
    text: `update partners set intents_per_second = 7 where partner_id = $1`,
    values: [partner],
  });
  expectRejected(await approve(approval.id), 1, /no longer as it was asked for\. Ask for it again/);
  expect(await shown(approval.id)).toMatchObject({ state: 'rejected' });
});

it('the owner of the database does what needs the owner, once it is approved', async () => {
  const { partner_id: partner } = hands.partner;
  const erase = ['partners', 'erase-user', partner, '--user', 'user-4711', '--json'];
  const owner = () => runPayctl(hands.bed, erase);
  const ran = await owner();
  expect(ran.code).toBe(4);
  const { approval } = JSON.parse(ran.stdout) as Asked;
  expect(JSON.stringify(await shown(approval.id))).not.toContain('user-4711');
  const approved = await approve(approval.id);
  expect([approved.code, approved.stdout]).toEqual([0, '']);
  expect(approved.stderr).toMatch(/needs the login of the owner of the database: repeat it there/);
  expect(jsonOf(await owner())).toEqual({ partner_id: partner, erased: 0 });
});

it('nobody types a name, and support decides nothing', async () => {
  expectRejected(await as('ann', ...FUND, 'wire-4', '--as', 'bob'), 2, /--as is for the sandbox/);
  expectRejected(await as('sue', ...FUND, 'wire-4'), 1, /permission denied|may not do/);
  expectRejected(await as('ann', 'approvals', 'approve', 'x'), 1, /There is no approval x/);
});

/** Every command without verbs below it, and `reconcile`. */
function verbsOf(command: Command, before = ''): readonly string[] {
  return command.commands.flatMap((each) => {
    const name = `${before} ${each.name()}`.trim();
    return each.commands.length > 0 && name !== 'reconcile' ? verbsOf(each, name) : [name];
  });
}

/** Verbs that write nothing. `intents resume` asks the provider; `--after-restore` needs two. */
const READS = [
  ...['status', 'partners list', 'partners show', 'partners totals', 'keys list', 'intents show'],
  ...['intents list', 'accounts list', 'payouts show', 'ledger check', 'webhooks list'],
  ...['requests why', 'requests list', 'token explain', 'sign'],
];
/** What decides about approvals is not approved. */
const APPROVALS = ['list', 'show', 'approve', 'reject'].map((verb) => `approvals ${verb}`);
/** It books nothing: a login of the service stores what a statement says. */
const BY_THE_SERVICE = ['reconcile'];
/** What a workflow carries out: its statement spends the approval. */
const BY_WORKFLOWS = ['refund', 'resolve', 'confirm', 'close-lost'].map(
  (verb) => `intents ${verb}`,
);
const ALONE = [
  ...['payouts stop', 'corridors close', 'partners suspend', 'keys revoke', 'webhooks disable'],
  'webhooks replay',
];

it('every verb of payctl reads, stops alone, or needs two people', async () => {
  const decisions = verbsOf(createPayctl()).filter(
    (verb) => ![...READS, ...APPROVALS, ...BY_THE_SERVICE].includes(verb),
  );
  const { rows } = await hands.bed.database.query<{
    readonly verb: string;
    readonly needs_two: boolean;
    readonly has_effect: boolean;
  }>({
    text: `select verb, needs_two(verb),
                  to_regproc('decision_' || translate(verb, ' -', '__')) is not null as has_effect
             from unnest($1::text[]) as verb`,
    values: [decisions],
  });
  const those = (which: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(which).map(({ verb }) => verb);
  expect(those(({ needs_two }) => !needs_two).sort()).toEqual([...ALONE].sort());
  expect(those(({ has_effect }) => !has_effect).sort()).toEqual([...BY_WORKFLOWS].sort());
  expect(rows.length).toBeGreaterThan(25);
});
