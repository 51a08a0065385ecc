// One statement that expires many payments (decision 132): it writes the same as the statement for
// one payment, and skips payments that another transaction has changed or is changing.
import type { IntentId } from '../../../src/domain/ids';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { anIntent, aTokenUse, countOf, move, times } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { aPartner, type TestPartner } from '../../support/payments/partner';
import { claimed } from '../../support/webhooks/webhooks';
import { withDatabase, withPartner } from '../../support/brackets';
import { anAttention } from '../../support/payments/attention';
import { workflowGone } from '../../../src/domain/intents/attention';

const LIFE_SECONDS = 60;
const DEADLINE = secondsAfter(NOON, LIFE_SECONDS);
const EVENT = 'payment_intent.expired';
const WAVE = 100;

const bed = withDatabase({ poolSize: 16 });
const partner = withPartner(bed);
/** A partner that wants no event of an expiry. */
const quiet = withPartner(bed);
const setEndpoint = ({ partnerId }: TestPartner, change: string) =>
  bed.database.query({
    text: `update webhook_endpoints set ${change} where partner_id = $1`,
    values: [partnerId],
  });
beforeAll(() => setEndpoint(partner, `event_types = event_types || '${EVENT}'::text`));
beforeEach(async () => {
  await bed.setNow(NOON);
  await bed.database.query({ text: 'update payment_intents set check_at = null' });
});

const shortLived = (of = partner) => anIntent(bed, of, { timeToLiveSeconds: LIFE_SECONDS });
const idsOf = (intents: readonly PaymentIntent[]) => intents.map(({ intentId }) => intentId);
const expire = (...intentIds: IntentId[]) => bed.intents.expireOverdue(intentIds);
const statusOf = async (intentId: IntentId) =>
  (await bed.intents.readCurrentState(intentId)).status;
const historyOf = async (intentId: IntentId) => {
  const { rows } = await bed.database.query({
    text: `select from_status, to_status, at, actor, reason from intent_transitions
            where intent_id = $1`,
    values: [intentId],
  });
  return rows;
};
const eventsOf = (of: TestPartner) =>
  countOf(bed, 'select count(*) from webhook_events where partner_id = $1 and type = $2', [
    of.partnerId,
    EVENT,
  ]);

describe('the statement for many', () => {
  it('expires each due row, with an audit row and, if wanted, one event', async () => {
    const wanting = await times(WAVE / 2, () => shortLived());
    const others = await times(WAVE / 2, () => shortLived(quiet));
    await bed.setNow(DEADLINE);
    const ids = idsOf([...wanting, ...others]);
    await expect(expire(...ids)).resolves.toBe(WAVE);
    await expect(expire(...ids)).resolves.toBe(0);
    const text = `select count(*) from payment_intents i
                    join intent_transitions t using (intent_id)
                   where i.intent_id = any ($1) and i.status = 'expired' and i.check_at is null
                     and t.from_status = 'created' and t.to_status = 'expired'`;
    expect(await countOf(bed, text, [ids])).toBe(WAVE);
    expect([await eventsOf(partner), await eventsOf(quiet)]).toEqual([WAVE / 2, 0]);
  });

  it('writes the same as the statement for one payment', async () => {
    const [one, many] = [await shortLived(), await shortLived()];
    await bed.setNow(secondsAfter(DEADLINE, 0.007));
    const { intentId } = one;
    await move(bed, intentId, 'expire');
    await expire(many.intentId);
    expect(await historyOf(many.intentId)).toEqual(await historyOf(one.intentId));
    const bodyOf = async (intent: PaymentIntent) => {
      const { eventId } = await bed.intents.readCurrentState(intent.intentId);
      if (eventId === null) throw new Error('no event was written');
      return (await claimed(bed.webhooks, eventId)).body.replaceAll(intent.intentId, 'pi_');
    };
    expect(await bodyOf(many)).toBe(await bodyOf(one));
  });

  it('makes the event due for the webhook poller at once', async () => {
    const other = await aPartner(bed);
    await setEndpoint(other, `event_types = '{${EVENT}}'`);
    const { intentId } = await shortLived(other);
    await bed.setNow(DEADLINE);
    await expire(intentId);
    await expect(bed.webhooks.claimWaiting(other.partnerId)).resolves.toMatchObject({ intentId });
  });

  it('skips the event of a disabled endpoint, which can be replayed', async () => {
    const other = await aPartner(bed);
    const disabled = `disabled_at = service_now(), disabled_reason = 'test'`;
    await setEndpoint(other, `event_types = '{${EVENT}}', ${disabled}`);
    const { intentId } = await shortLived(other);
    await bed.setNow(DEADLINE);
    await expire(intentId);
    const text = `select count(*) from webhook_events where intent_id = $1 and state = 'skipped'`;
    expect(await countOf(bed, text, [intentId])).toBe(1);
  });

  it('expires nothing before the deadline, by the database’s clock', async () => {
    const { intentId } = await shortLived();
    await bed.setNow(secondsAfter(DEADLINE, -0.001));
    await expect(expire(intentId)).resolves.toBe(0);
    expect(await historyOf(intentId)).toEqual([]);
  });

  it.each(['authorized', 'captured', 'failed', 'cancelled', 'refunded'] as const)(
    'expires no payment that is %s',
    async (status) => {
      const { intentId } = await anIntent(bed, partner, { status });
      await bed.setNow(secondsAfter(NOON, 86_400));
      const before = await historyOf(intentId);
      await expect(expire(intentId)).resolves.toBe(0);
      expect([await statusOf(intentId), await historyOf(intentId)]).toEqual([status, before]);
    },
  );

  it('leaves a row that needs attention to its workflow', async () => {
    const { intentId } = await shortLived();
    await bed.intents.setAttention(intentId, anAttention('check it'));
    await bed.setNow(DEADLINE);
    await expect(expire(intentId)).resolves.toBe(0);
    expect(await statusOf(intentId)).toBe('created');
  });

  it('skips a row that another transaction has locked, without waiting', async () => {
    const [held, free] = [await shortLived(), await shortLived()];
    await bed.setNow(DEADLINE);
    await bed.database.inTransaction(async (connection) => {
      await connection.query({
        text: 'select from payment_intents where intent_id = $1 for no key update',
        values: [held.intentId],
      });
      await expect(expire(held.intentId, free.intentId)).resolves.toBe(1);
    });
    expect([await statusOf(held.intentId), await statusOf(free.intentId)]).toEqual([
      'created',
      'expired',
    ]);
  });
});

describe('at the deadline', () => {
  it('confirms, cancels and two such statements leave each row one audit row', async () => {
    const intents = await times(WAVE, () => shortLived());
    const ids = idsOf(intents);
    // Half of the racers read the clock before the deadline, half after it.
    await bed.setNow(secondsAfter(DEADLINE, -0.001));
    const racing = intents.map(({ intentId }, nth) => {
      const event = nth % 2 === 0 ? 'authorize' : 'cancel';
      return move(bed, intentId, event, nth % 2 === 0 ? { token: aTokenUse(partner) } : {});
    });
    await Promise.race(racing);
    await bed.setNow(DEADLINE);
    const moved = await Promise.all([expire(...ids), expire(...ids.toReversed())]);
    const reports = await Promise.all(racing);
    await Promise.all(ids.map((intentId) => expire(intentId)));
    const statuses = await Promise.all(ids.map(statusOf));
    expect(new Set(statuses)).not.toContain('created');
    const byStatement = moved[0] + moved[1];
    const did = reports.filter(({ outcome }) => outcome === 'did').length;
    expect(statuses.filter((status) => status === 'expired')).toHaveLength(WAVE - did);
    expect(byStatement).toBeLessThanOrEqual(WAVE - did);
    const text = 'select count(*) from intent_transitions where intent_id = any ($1)';
    expect(await countOf(bed, text, [ids])).toBe(WAVE);
  });

  it('a payment that was authorized is never expired', async () => {
    const intents = await times(20, () => shortLived());
    await bed.setNow(secondsAfter(DEADLINE, -0.001));
    for (const { intentId } of intents) {
      await move(bed, intentId, 'authorize');
    }
    await bed.setNow(DEADLINE);
    await expect(expire(...idsOf(intents))).resolves.toBe(0);
    const statuses = await Promise.all(idsOf(intents).map(statusOf));
    expect(new Set(statuses)).toEqual(new Set(['authorized']));
  });
});

describe('payments past their deadline are claimed', () => {
  const claimedAt = async (seconds: number, limit = WAVE) => {
    await bed.setNow(secondsAfter(NOON, seconds));
    const overdue = await bed.claims.claimOverdue(limit);
    return overdue.map(({ payment, overdueMs }) => [payment.intentId, overdueMs]);
  };

  it('from the deadline on, when they were started before it', async () => {
    const { intentId } = await shortLived();
    await bed.claims.markStarted([intentId]);
    expect(await claimedAt(LIFE_SECONDS - 0.001)).toEqual([]);
    expect(await claimedAt(LIFE_SECONDS)).toEqual([[intentId, 0]]);
  });

  it('by one poller at a time: a claimed row is left out for thirty seconds', async () => {
    const { intentId } = await shortLived();
    await bed.claims.markStarted([intentId]);
    expect(await claimedAt(60)).toEqual([[intentId, 0]]);
    expect(await claimedAt(89.999)).toEqual([]);
    expect(await claimedAt(90)).toEqual([[intentId, 30_000]]);
  });

  it('by one of eight concurrent pollers only, and none is left behind', async () => {
    const intents = await times(40, () => shortLived());
    await bed.setNow(DEADLINE);
    const claims = await times(8, () => bed.claims.claimOverdue(5));
    const all = [...claims.flat(), ...(await bed.claims.claimOverdue(WAVE))];
    expect(all.map(({ payment }) => payment.intentId).sort()).toEqual(idsOf(intents).sort());
  });

  it('and not by the claim of due payments', async () => {
    await shortLived();
    await bed.setNow(DEADLINE);
    await expect(bed.claims.claimDue(WAVE)).resolves.toEqual([]);
  });

  it('never once they are authorized, or their workflow is known to have completed', async () => {
    const { intentId } = await shortLived();
    await bed.intents.setAttention(intentId, workflowGone('created'));
    await anIntent(bed, partner, { status: 'authorized', timeToLiveSeconds: LIFE_SECONDS });
    expect(await claimedAt(86_400)).toEqual([]);
  });
});
