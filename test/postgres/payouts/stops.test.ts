// A stop for a restore (decision 127) that is typed again, or that comes while payouts are allowed.
// The stops in general are in lock.test.ts.
import { createPayoutStops, allowPayouts } from '../../../src/postgres/payouts/stops';
import { withDatabase, withPartner } from '../../support/brackets';
import { aDebitedIntent } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { recordSent } from '../../support/payments/payouts';
import { untilBlocked } from '../../support/until-blocked';

const bed = withDatabase({ isPerTest: true });
const partner = withPartner(bed);

const ANN = { actor: 'ann', reason: 'restored' };
const allow = (isAfterRestore: boolean) => allowPayouts(bed.database, { ...ANN, isAfterRestore });

it('repeated after a second restore, has payments since the first queried before they are sent', async () => {
  await bed.payoutStops.stop({ ...ANN, kind: 'restore' });
  await bed.setNow(secondsAfter(NOON, 60));
  const { intentId } = await aDebitedIntent(bed, partner);
  await bed.payoutStops.stop({ ...ANN, kind: 'restore' });
  await expect(allow(true)).resolves.toMatchObject([{ at: secondsAfter(NOON, 60) }]);
  await expect(recordSent(bed, intentId)).resolves.toBeUndefined();
});

it('made of an operator’s stop at the moment when payouts are allowed, stays in force', async () => {
  await bed.payoutStops.stop({ ...ANN, kind: 'operator' });
  const lifted = await bed.database.inTransaction(async (connection) => {
    await createPayoutStops(connection).stop({ ...ANN, kind: 'restore' });
    const allowing = allow(false);
    await untilBlocked(connection);
    return { allowing };
  });
  await expect(lifted.allowing).resolves.toEqual([]);
  await expect(allow(true)).resolves.toMatchObject([{ kind: 'restore' }]);
});
