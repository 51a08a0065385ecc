// GET and cancel of a partner's own and of other intents (protocol 3.7; decisions 10, 11, 21 and
// 25).
import { toWire } from '../../../api/intents/view';
import { INTENT_STATUSES, type IntentStatus } from '../../../src/domain/intents/payment-intent';
import { pathOf } from '../../support/app';
import { withApi } from '../../support/brackets';
import { anIntent, anIntentId, findExisting, times } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { recordSent } from '../../support/payments/payouts';

const { bed, app, partner, other } = withApi({ poolSize: 16 });

const get = (intentId: string, who = partner) =>
  app.sendSigned(who, { path: pathOf({ intentId }) });
const cancel = (intentId: string, who = partner) =>
  app.sendSigned(who, { method: 'POST', path: pathOf({ intentId }, 'cancel') });
const statusOf = async (intentId: Parameters<typeof findExisting>[1]) =>
  (await findExisting(bed, intentId)).status;

describe('GET of an intent', () => {
  it.each(INTENT_STATUSES)(
    'that is %s has exactly the documented members, captured_at only when captured',
    async (status) => {
      const intent = await anIntent(bed, partner, { status });
      const captured = status === 'captured' ? ',"captured_at":"2026-03-02T12:00:00.000Z"' : '';
      const reply = await get(intent.intentId);
      expect([reply.status, reply.text]).toEqual([
        200,
        `{"intent_id":"${intent.intentId}","status":"${status}","amount_usd_cents":1250,"corridor":"th_qrpay","created_at":"2026-03-02T12:00:00.000Z"${captured}}`,
      ]);
      expect(reply.text).toBe(toWire(intent));
    },
  );

  it('of another partner is 403', async () => {
    const { intentId } = await anIntent(bed, other);
    const reply = await get(intentId);
    expect([reply.status, reply.text]).toEqual([
      403,
      '{"error":"authorization_failed","message":"The credentials do not allow this."}',
    ]);
  });

  it('that does not exist is 404', async () => {
    const reply = await get(anIntentId());
    expect([reply.status, reply.text]).toEqual([
      404,
      '{"error":"not_found","message":"There is no such resource."}',
    ]);
  });

  it('answers expired after deadline and grace, even while no worker runs', async () => {
    const { intentId } = await anIntent(bed, partner, { timeToLiveSeconds: 60 });
    await bed.setNow(secondsAfter(NOON, 64));
    expect(JSON.parse((await get(intentId)).text)).toMatchObject({ status: 'expired' });
  });
});

describe('cancel', () => {
  it.each(['created', 'authorized'] as const)(
    'of an intent that is %s answers 200 with the cancelled intent',
    async (status) => {
      const { intentId } = await anIntent(bed, partner, { status });
      const reply = await cancel(intentId);
      expect(reply.status).toBe(200);
      expect(JSON.parse(reply.text)).toMatchObject({ intent_id: intentId, status: 'cancelled' });
      expect(await statusOf(intentId)).toBe('cancelled');
    },
  );

  it.each(['captured', 'failed', 'expired', 'refunded'] as const)(
    'of an intent that is %s is 409, and nothing changes',
    async (status) => {
      const { intentId } = await anIntent(bed, partner, { status });
      const reply = await cancel(intentId);
      expect([reply.status, reply.text]).toEqual([
        409,
        `{"error":"conflict","message":"The intent's state does not allow this."}`,
      ]);
      expect(await statusOf(intentId)).toBe<IntentStatus>(status);
    },
  );

  it('a second time is 409', async () => {
    const { intentId } = await anIntent(bed, partner);
    const replies = [await cancel(intentId), await cancel(intentId)];
    expect(replies.map(({ status }) => status)).toEqual([200, 409]);
  });

  it('twenty times at once is 200 for exactly one', async () => {
    const { intentId } = await anIntent(bed, partner);
    const replies = await times(20, () => cancel(intentId));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  it('after the payout was sent is 409', async () => {
    const { intentId, amountUsdCents } = await anIntent(bed, partner, { status: 'authorized' });
    await bed.funds.debit(intentId, amountUsdCents);
    await recordSent(bed, intentId);
    expect(await cancel(intentId)).toMatchObject({ status: 409 });
    expect(await statusOf(intentId)).toBe('authorized');
  });

  it('is 503 when the workflow does not answer, and works when repeated', async () => {
    const { intentId } = await anIntent(bed, partner);
    app.mode = 'no_answer';
    const lost = await cancel(intentId);
    expect([lost.status, lost.headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(lost.text)).toMatchObject({ error: 'internal_error' });
    app.mode = 'settle';
    expect(await cancel(intentId)).toMatchObject({ status: 200 });
  });

  it('is 200 when repeated after a lost answer to the first', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'cancelled' });
    app.mode = 'no_answer';
    expect(await cancel(intentId)).toMatchObject({ status: 200 });
  });

  it('of another partner’s intent is 403, of an unknown one 404, and changes nothing', async () => {
    const { intentId } = await anIntent(bed, other);
    expect(await cancel(intentId)).toMatchObject({ status: 403 });
    expect(await cancel(anIntentId())).toMatchObject({ status: 404 });
    expect(await statusOf(intentId)).toBe('created');
  });

  it('past the deadline is 409, and the intent is expired', async () => {
    const { intentId } = await anIntent(bed, partner, { timeToLiveSeconds: 60 });
    await bed.setNow(secondsAfter(NOON, 60));
    expect(await cancel(intentId)).toMatchObject({ status: 409 });
    expect(await statusOf(intentId)).toBe('expired');
  });
});
