// The steps of a workflow that write the row of its payment.
import { byCorridor } from '../../src/corridors/names';
import { FIRST_TASK_REPEATED } from '../../src/domain/intents/transition';
import type { PayoutProvider } from '../../src/ports/payout-provider';
import { createIntentActivities } from '../../activities/intents';
import { withDatabase, withPartner } from '../support/brackets';
import { anIntent, aTokenUse } from '../support/builders';
import { ONE_ACCOUNT } from '../support/payments/accounts';
import { NO_CODE_REQUIRED } from '../support/payments/qr-codes';
import { scriptedProviders } from '../support/payments/scripted-provider';
import { SILENT } from '../support/silent-log';

const bed = withDatabase();
const partner = withPartner(bed);

const stepsWith = (change: Partial<Parameters<typeof createIntentActivities>[0]>) =>
  createIntentActivities({
    ...{ ...bed, ...ONE_ACCOUNT, log: SILENT, verifyNamespace: () => Promise.resolve() },
    ...{ isOperatorConfirmAllowed: false, isQrPayloadRequired: NO_CODE_REQUIRED },
    ...{ maximumUsdCents: byCorridor(() => 1_000_000), providers: scriptedProviders([], []) },
    ...change,
  });

const anOpenOne = async () => {
  const { intentId, amountUsdCents, corridor, createdAt } = await anIntent(bed, partner);
  const terms = { amountUsdCents, corridor, createdAtMs: createdAt.getTime() };
  return { intentId, from: 'created', terms } as const;
};

it('an amount above the maximum of the corridor is not authorized', async () => {
  const open = await anOpenOne();
  const authorized = async (maximum: number) => {
    const { recordTransition } = stepsWith({
      maximumUsdCents: byCorridor((name) => (name === open.terms.corridor ? maximum : 1)),
    });
    const command = { ...open, event: 'authorize', actor: 'payer' } as const;
    return recordTransition({ ...command, token: aTokenUse(partner) });
  };
  const { amountUsdCents } = open.terms;
  const tooSmall = await authorized(amountUsdCents - 1);
  expect([tooSmall.outcome, tooSmall.status]).toEqual(['not_allowed', 'created']);
  expect((await authorized(amountUsdCents)).outcome).toBe('did');
});

describe('a payment whose first task was repeated', () => {
  const [cents, local] = [false, true].map((needsLocal) => {
    const { th_qrpay: provider } = scriptedProviders([], []);
    return { ...provider, abilities: { ...provider.abilities, needsLocal } };
  }) as [PayoutProvider, PayoutProvider];

  it.each([
    ['is cancelled at once where no task sends an order', local, [], 'did'],
    ['waits for a query where tasks send orders', cents, [], 'not_queried'],
    ['waits for a query where tasks sent orders', local, [cents], 'not_queried'],
  ] as const)('%s', async (_what, current, former, outcome) => {
    const { recordTransition } = stepsWith({
      providers: byCorridor(() => current),
      formerProviders: { th_qrpay: former, vn_qrpay: former },
    });
    const command = { event: 'cancel', actor: 'partner', queryId: FIRST_TASK_REPEATED } as const;
    const report = await recordTransition({ ...(await anOpenOne()), ...command });
    expect(report.outcome).toBe(outcome);
  });
});
