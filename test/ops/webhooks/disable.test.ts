// `payctl webhooks disable` (decision 19): nothing more is sent, and pending events are skipped,
// not lost.
import { disableWebhook } from '../../../src/ops/webhooks/disable';
import { setWebhook } from '../../../src/ops/webhooks/set';
import { readOne, type Queryable } from '../../../src/postgres/database';
import type { WebhookState } from '../../../src/postgres/reports/webhook-story';
import { NOON } from '../../support/clock';
import { aPartner } from '../../support/payments/partner';
import { jsonOf, rejection, runPayctl } from '../../support/programs/payctl';
import { untilBlocked, untilWaiting } from '../../support/until-blocked';
import { actionsOn, anEvent, disableEndpoint, eventRow, manyEvents } from './rows';
import { withDatabase, withPartner } from '../../support/brackets';

const ANN = { actor: 'ann', reason: null };

const bed = withDatabase();
beforeEach(() => bed.setNow(NOON));
const partner = withPartner(bed, { isPerTest: true });

const webhooks = (...args: readonly string[]) => runPayctl(bed, ['webhooks', ...args]);

describe('webhooks disable', () => {
  it('skips the pending events, and leaves the others', async () => {
    const states: readonly WebhookState[] = ['pending', 'delivered', 'exhausted', 'skipped'];
    const events = await Promise.all(states.map((state) => anEvent(bed, partner, { state })));
    const other = await anEvent(bed, await aPartner(bed));
    const reason = 'the partner requested it';
    expect(
      jsonOf(
        await webhooks(
          ...['disable', partner.partnerId, '--reason', reason, '--as', 'ann', '--json'],
        ),
      ),
    ).toMatchObject({
      state: 'disabled',
      disabled_at: NOON.toISOString(),
      disabled_reason: reason,
      ...{ pending: 0, skipped: 2, exhausted: 1, skipped_now: 1 },
    });
    const rows = await Promise.all(events.map((id) => eventRow(bed, id)));
    expect(rows.map(({ state }) => state)).toEqual([
      'skipped',
      'delivered',
      'exhausted',
      'skipped',
    ]);
    expect(rows[0]).toMatchObject({ due_at: null, check_at: null });
    expect(await eventRow(bed, other)).toMatchObject({ state: 'pending' });
    expect(await actionsOn(bed, partner)).toEqual([
      {
        actor: 'ann',
        action: 'webhooks disable',
        event_id: null,
        events: 1,
        reason,
        details: null,
      },
    ]);
  });

  it('skips any number of events, in statements within their timeout', async () => {
    await manyEvents(bed, partner, { state: 'pending', count: 4_100 });
    const disabled = await disableWebhook(bed.database, partner.partnerId, {
      actor: 'ann',
      reason: 'test',
    });
    expect(disabled).toMatchObject({ skipped_now: 4_100, pending: 0, skipped: 4_100 });
  });

  it('says how to enable the endpoint and how to send what was not delivered', async () => {
    await anEvent(bed, partner);
    const ran = await webhooks('disable', partner.partnerId, '--reason', 'test');
    expect(ran.stdout.replaceAll('\n', ' ')).toContain('1 event was pending, and is now skipped.');
    expect(ran.stdout).toContain(
      `\n  payctl webhooks set ${partner.partnerId}\n  payctl webhooks replay --partner ${partner.partnerId}\n`,
    );
  });

  it('is rejected a second time, with since when and why it is disabled', async () => {
    await disableEndpoint(bed, partner);
    expect(await webhooks('disable', partner.partnerId, '--reason', 'test')).toEqual(
      rejection(
        `The endpoint of ${partner.partnerId} has been disabled since 2026-03-02T12:00:00Z, because: it answered 410 three times. Nothing was changed.`,
      ),
    );
    expect(await actionsOn(bed, partner)).toEqual([]);
  });

  it('succeeds although a worker that holds an event waits for the endpoint', async () => {
    const eventId = await anEvent(bed, partner);
    const outcome = await bed.database.inTransaction(async (worker) => {
      await worker.query({ text: `set local deadlock_timeout = '1 min'` });
      await worker.query({ text: `set local statement_timeout = '1 min'` });
      await worker.query({
        text: 'select from webhook_events where event_id = $1 for update',
        values: [eventId],
      });
      const { disabling, recording } = await bothWaitForEndpoint(worker);
      // The command has the endpoint and waits for the event, and the worker waits for the
      // endpoint. Postgres ends the command's transaction, and the command starts again.
      await recording;
      return { disabling };
    });
    await expect(outcome.disabling).resolves.toMatchObject({ skipped_now: 1 });
    expect(await eventRow(bed, eventId)).toMatchObject({ state: 'skipped' });
  });

  it('is undone by webhooks set, which clears the reason', async () => {
    await disableEndpoint(bed, partner);
    const enabled = await setWebhook(bed, { partnerId: partner.partnerId }, ANN);
    expect(enabled).toMatchObject({ state: 'active', disabled_reason: null });
  });
});

/** Lets the command take the endpoint first, and the worker wait for it before the command does. */
async function bothWaitForEndpoint(worker: Queryable) {
  return bed.database.inTransaction(async (holder) => {
    await holder.query({
      text: 'select from webhook_endpoints where partner_id = $1 for update',
      values: [partner.partnerId],
    });
    const disabling = disableWebhook(bed.database, partner.partnerId, {
      actor: 'ann',
      reason: 'test',
    });
    await untilBlocked(holder);
    const { pid } = await readOne<{ readonly pid: number }>(worker, {
      text: 'select pg_backend_pid() as pid',
    });
    const recording = worker.query({
      text: 'update webhook_endpoints set gone_in_a_row = 1, gone_since = now() where partner_id = $1',
      values: [partner.partnerId],
    });
    await untilWaiting(holder, pid);
    return { disabling, recording };
  });
}
