// The steps of a workflow that write the row of its payment.
import { byCorridor } from '../../src/corridors/names';
import { createIntentActivities } from '../../activities/intents';
import { withDatabase, withPartner } from '../support/brackets';
import { anIntent, aTokenUse } from '../support/builders';
import { ONE_ACCOUNT } from '../support/payments/accounts';
import { NO_CODE_REQUIRED } from '../support/payments/qr-codes';
import { SILENT } from '../support/silent-log';

const bed = withDatabase();
const partner = withPartner(bed);

it('an amount above the maximum of the corridor is not authorized', async () => {
  const { intentId, amountUsdCents, corridor, createdAt } = await anIntent(bed, partner);
  const terms = { amountUsdCents, corridor, createdAtMs: createdAt.getTime() };
  const authorized = async (maximum: number) => {
    const { recordTransition } = createIntentActivities({
      ...{ ...bed, ...ONE_ACCOUNT, log: SILENT, verifyNamespace: () => Promise.resolve() },
      ...{ isOperatorConfirmAllowed: false, isQrPayloadRequired: NO_CODE_REQUIRED },
      maximumUsdCents: byCorridor((name) => (name === corridor ? maximum : 1)),
    });
    const command = { intentId, from: 'created', event: 'authorize', actor: 'payer' } as const;
    return recordTransition({ ...command, terms, token: aTokenUse(partner) });
  };
  const tooSmall = await authorized(amountUsdCents - 1);
  expect([tooSmall.outcome, tooSmall.status]).toEqual(['not_allowed', 'created']);
  expect((await authorized(amountUsdCents)).outcome).toBe('did');
});
