// `payctl intents reference`: an id that an operator has found at the provider. It is only what is
// asked for: what the provider answers decides, and an answer about another key counts for nothing.
import { findInAccounts } from '../../../activities/accounts';
import { byCorridor } from '../../../src/corridors/names';
import type { IntentId } from '../../../src/domain/ids';
import type { PayoutProvider, QueryAnswer } from '../../../src/ports/payout-provider';
import { PENDING, recorded, SURE } from '../../support/payments/answers';
import { ACCOUNT } from '../../support/payments/accounts';
import { anIntent } from '../../support/builders';
import { withDatabase, withPartner } from '../../support/brackets';
import { NOON } from '../../support/clock';
import { expectRejected, jsonOf, runPayctl, textOf } from '../../support/programs/payctl';
import { steps } from './story-rows';

const bed = withDatabase();
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const SILENCE = { outcome: 'unknown', cause: 'nothing by our key' } as const;

const aSentIntent = async () => {
  const intent = await anIntent(bed, partner);
  await steps(bed, intent, 'authorize', 'debit', 'send');
  return intent;
};
const name = (intentId: string, id: string, ...more: readonly string[]) =>
  runPayctl(bed, ['intents', 'reference', intentId, id, '--as', 'ann', ...more]);

/** The reference of each query, to a provider that finds by its own id only. */
async function asked(intentId: IntentId): Promise<readonly [string | null, QueryAnswer]> {
  const seen: (string | null)[] = [];
  const provider: PayoutProvider = {
    account: ACCOUNT,
    abilities: { ...SURE, findsByKey: false },
    pay: () => Promise.resolve({ outcome: 'duplicate' }),
    find: ({ reference }) => {
      seen.push(reference);
      return Promise.resolve(reference === 'OR-1' ? PENDING : SILENCE);
    },
  };
  const order = await bed.payoutJournal.readOrder(intentId);
  const question = { key: '', amountUsdCents: 1, corridor: 'th_qrpay', ...order } as const;
  const providers = byCorridor(() => provider);
  const { answer } = await findInAccounts(question, order, { providers, formerProviders: {} });
  return [seen[0] ?? null, answer];
}

it('is what the next query asks for, and another one replaces it', async () => {
  const { intentId } = await aSentIntent();
  await expect(asked(intentId)).resolves.toMatchObject([null, { outcome: 'unknown' }]);
  await name(intentId, 'OR-7');
  await expect(asked(intentId)).resolves.toMatchObject(['OR-7', { outcome: 'unknown' }]);
  const story = jsonOf(await name(intentId, 'OR-1', '--json'));
  expect(story).toMatchObject({
    ...{ status: 'authorized', attention_since: null },
    payout: { reference: null, proposed_reference: 'OR-1', proposed_by: 'ann' },
  });
  await expect(asked(intentId)).resolves.toMatchObject(['OR-1', { outcome: 'pending' }]);
  expect(textOf(await runPayctl(bed, ['intents', 'show', intentId]))).toMatch(
    /id to ask for +OR-1, named by ann\n/,
  );
});

it('is not the id that the provider has named, and replaces none', async () => {
  const { intentId } = await aSentIntent();
  await bed.payoutJournal.recordAnswer(intentId, 1, { ...recorded('pending'), reference: 'OR-9' });
  expectRejected(await name(intentId, 'OR-1'), 1, /has the id OR-9.*Nothing was changed/);
  await expect(asked(intentId)).resolves.toMatchObject(['OR-9', {}]);
});

it.each(['', 'OR 1', 'x'.repeat(129)])('may not be %j', async (id) => {
  const { intentId } = await aSentIntent();
  expectRejected(await name(intentId, id), 1, /1 to 128 printable characters/);
});

it('is rejected for a payment without a payout, and for one that is over', async () => {
  const created = await anIntent(bed, partner);
  expectRejected(await name(created.intentId, 'OR-1'), 1, /is created, with no payout/);
  const captured = await anIntent(bed, partner, { status: 'captured' });
  expectRejected(await name(captured.intentId, 'OR-1'), 1, /is captured/);
});
