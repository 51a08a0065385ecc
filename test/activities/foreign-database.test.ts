// The answer of a database is proof of a loss only in the namespace of its installation (decision
// 128): a worker whose namespace turns out to be another's answers nothing, and another repeats it.
import { byCorridor } from '../../src/corridors/names';
import { createPaymentActivities } from '../../activities';
import { createPayoutLock } from '../../src/postgres/payouts/lock';
import { withDatabase } from '../support/brackets';
import { countOf, INSTALLATION } from '../support/builders';
import { FROZEN_STOPWATCH } from '../support/clock';
import { aPaymentStart } from '../support/payments/payment-start';
import { SURE } from '../support/payments/answers';
import { providerHealth } from '../support/payments/provider-health';
import { NO_CODE_REQUIRED } from '../support/payments/qr-codes';
import { SILENT } from '../support/silent-log';
import { ACCOUNT, ONE_ACCOUNT } from '../support/payments/accounts';

const bed = withDatabase();
const provider = {
  account: ACCOUNT,
  abilities: SURE,
  pay: () => Promise.reject(new Error()),
  find: () => Promise.reject(new Error()),
};

const activitiesOf = (verifyNamespace: () => Promise<void>) =>
  createPaymentActivities({
    ...bed,
    verifyNamespace,
    payoutLock: createPayoutLock(bed.database),
    endpointSpeeds: { isFast: () => false },
    startStopwatch: FROZEN_STOPWATCH,
    pause: () => Promise.resolve(),
    installationId: INSTALLATION.id,
    payoutUnknownSeconds: 900,
    ...ONE_ACCOUNT,
    providers: byCorridor(() => provider),
    providerHealth: providerHealth(),
    log: SILENT,
    isOperatorConfirmAllowed: true,
    isQrPayloadRequired: NO_CODE_REQUIRED,
  });

const FOREIGN = new Error('the namespace is another installation’s');
const lost = { ...aPaymentStart(), installationId: INSTALLATION.id };

type Activities = ReturnType<typeof activitiesOf>;

describe('in a foreign namespace', () => {
  it.each<[string, (activities: Activities) => Promise<unknown>]>([
    ['says that a row is missing', (act) => act.readCurrentState(lost.intentId, lost)],
    ['reports a missing row', (act) => act.reportMissingRow(lost)],
    [
      'says that a workflow has no payment',
      (act) => act.reportMissingRow({ ...lost, installationId: 'x' }),
    ],
    ['reports a row that is behind', (act) => act.reportRow('behind', lost.intentId, 0)],
    ['ticks the restore watch', (act) => act.tickRestoreWatch({ ticks: 7, atMs: null })],
    ['stops payouts', (act) => act.stopPayouts('went back', 'postgres')],
  ])('no activity %s', async (_what, act) => {
    const activities = activitiesOf(() => Promise.reject(FOREIGN));
    await expect(act(activities)).rejects.toBe(FOREIGN);
    expect(await countOf(bed, 'select count(*) from payout_stops')).toBe(0);
    expect(await countOf(bed, 'select ticks as count from restore_watch')).toBe(0);
  });
});

it('in a namespace of ours a missing row is reported', async () => {
  const activities = activitiesOf(() => Promise.resolve());
  const missing = activities.readCurrentState(lost.intentId, lost);
  await expect(missing).rejects.toMatchObject({ type: 'RowMissing', nonRetryable: true });
  await expect(activities.reportMissingRow(lost)).resolves.toBe(true);
});
