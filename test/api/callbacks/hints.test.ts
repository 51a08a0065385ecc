// What a verified callback does (decision 156): it makes one payout due to be queried. It decides,
// sends, captures and releases nothing, whatever it says and however often it comes.
import type { AttentionKind } from '../../../src/domain/intents/attention';
import { anIntent, anIntentId } from '../../support/builders';
import { DAY, withCallbacks } from './payments';
import { httpCallback, musePayCallback, transFiCallback } from './signed';

const { bed, partner, listener, at, aSent, aWaiting, rowsOf, changedSince, hintedAt, due } =
  withCallbacks();

it.each([
  ['http', 'th_qrpay', httpCallback],
  ['musepay', 'th_qrpay', musePayCallback],
  ['transfi', 'vn_qrpay', transFiCallback],
] as const)('a callback of %s is taken, and wakes a payment that waits', async (...row) => {
  const [adapter, corridor, callbackOf] = row;
  const account = `${adapter}/main`;
  const intentId = await aWaiting('payout_pending', { corridor, account });
  const before = await rowsOf(intentId);
  const answer = await listener.send(callbackOf({ intentId }));
  expect(answer.status).toBe(200);
  expect(listener.counted).toEqual([`${corridor} taken`]);
  await expect(changedSince(before, intentId)).resolves.toEqual([
    ...['check_at', 'hinted_at', 'proposed_by', 'proposed_reference'],
  ]);
  await expect(due()).resolves.toEqual([[intentId, true]]);
});

it('is one hint however often it is repeated, and another five seconds later', async () => {
  const intentId = await aWaiting();
  const callback = httpCallback({ intentId });
  const versionOf = async () =>
    (
      await bed.database.query({
        text: `select p.xmin::text || ':' || i.xmin::text as version
                 from payouts p join payment_intents i using (intent_id) where intent_id = $1`,
        values: [intentId],
      })
    ).rows;
  await listener.send(callback);
  await expect(due()).resolves.toEqual([[intentId, true]]);
  const before = await versionOf();
  const repeats = Array.from({ length: 10_000 }, () => listener.send(callback));
  const answers = await Promise.all(repeats);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(listener.counted.filter((result) => result === 'th_qrpay taken')).toHaveLength(1);
  expect(listener.counted.filter((result) => result === 'th_qrpay repeated')).toHaveLength(10_000);
  await expect(versionOf()).resolves.toEqual(before);
  await at(4.999);
  await listener.send(callback);
  await expect(due()).resolves.toEqual([]);
  await at(5);
  await listener.send(callback);
  await expect(hintedAt(intentId)).resolves.toBe(5);
  await expect(due()).resolves.toEqual([[intentId, true]]);
});

it('of our own protocol with an id that no text column takes is a hint without it', async () => {
  const intentId = await aWaiting();
  const answer = await listener.send(httpCallback({ intentId, reference: 'SB\0' }));
  expect([answer.status, listener.counted]).toEqual([200, ['th_qrpay taken']]);
});

it('is one hint of any number that come at once', async () => {
  const intentId = await aWaiting();
  await Promise.all(Array.from({ length: 8 }, () => listener.send(httpCallback({ intentId }))));
  expect(listener.counted.filter((result) => result === 'th_qrpay taken')).toHaveLength(1);
});

it('is taken ever more rarely, so that repeats without end fit into a history', async () => {
  const intentId = await aWaiting();
  const callback = httpCallback({ intentId });
  const takenAfter = async (from: number, ...seconds: readonly number[]) => {
    await at(from);
    await listener.send(callback);
    const taken: number[] = [];
    for (const second of seconds) {
      await at(from + second);
      await listener.send(callback);
      if ((await hintedAt(intentId)) === from + second) taken.push(second);
    }
    return taken;
  };
  await expect(takenAfter(100, 4.9, 5)).resolves.toEqual([5]);
  await expect(takenAfter(2_000, 99, 100)).resolves.toEqual([100]);
  await expect(takenAfter(DAY, 4_319, 4_320)).resolves.toEqual([4_320]);
});

it.each<[string, AttentionKind]>([
  ['differs from what was ordered', 'payout_differs'],
  ['was returned', 'returned'],
  ['contradicts its row', 'row_contradicts'],
])('wakes no payment that %s: people decide', async (_what, kind) => {
  const intentId = await aWaiting(kind);
  await listener.send(httpCallback({ intentId }));
  await expect(due()).resolves.toEqual([]);
});

it('wakes no payment that is queried within ten seconds anyway', async () => {
  const intentId = await aSent();
  await bed.database.query({ text: 'update payment_intents set check_at = null' });
  await listener.send(httpCallback({ intentId }));
  expect(listener.counted).toEqual(['th_qrpay taken']);
  await expect(due()).resolves.toEqual([]);
});

it('that comes before the order is recorded does nothing', async () => {
  const { intentId } = await anIntent(bed, partner, { status: 'authorized' });
  const before = await rowsOf(intentId);
  const { status } = await listener.send(httpCallback({ intentId }));
  expect([status, ...listener.counted]).toEqual([200, 'th_qrpay unknown']);
  await expect(changedSince(before, intentId)).resolves.toEqual([]);
});

it('that comes before the account is recorded is taken: a lost commit may have had it', async () => {
  const intentId = await aSent({ account: null });
  await listener.send(httpCallback({ intentId }));
  expect(listener.counted).toEqual(['th_qrpay taken']);
});

it.each([
  ['no payment of ours', () => anIntentId()],
  ['text that is no id', () => 'pi_x'],
  ['a payment of another corridor', () => aWaiting('payout_unknown', { corridor: 'vn_qrpay' })],
  ['a payment of another account', () => aWaiting('payout_unknown', { account: 'musepay/main' })],
])('about %s is answered, and stores nothing', async (_what, make) => {
  const intentId = await make();
  const { status } = await listener.send(httpCallback({ intentId }));
  expect([status, ...listener.counted]).toEqual([200, 'th_qrpay unknown']);
  await expect(due()).resolves.toEqual([]);
});
