// An endpoint is disabled after answers 410 or five days of failures, and its events are skipped
// (decision 19). The real schedule runs under time skipping.
import { aPartner, type TestPartner } from '../../support/payments/partner';
import { aPendingEvent, eventRow } from '../../support/webhooks/webhook-rows';
import { answers, startReceiver, type Answer } from '../../support/webhooks/webhook-receiver';
import { inWebhookTime, type WebhookTimeWorld } from '../../support/webhooks/webhook-time-world';

async function withEndpoint(
  answer: Answer,
  work: (world: WebhookTimeWorld, partner: TestPartner) => Promise<void>,
): Promise<void> {
  const receiver = await startReceiver(answer);
  await inWebhookTime({}, async (world) => {
    await work(world, await aPartner(world.bed, { webhookUrl: receiver.url }));
  });
  receiver.close();
}

async function readDisabledReason({ bed }: WebhookTimeWorld, { partnerId }: TestPartner) {
  const { rows } = await bed.database.query<Record<string, unknown>>({
    text: `select disabled_reason from webhook_endpoints where partner_id = $1`,
    values: [partnerId],
  });
  return rows[0]?.['disabled_reason'];
}

it('an endpoint is disabled by the third 410 in a row over a minute, and gets no more events', () =>
  withEndpoint(answers(410), async (world, partner) => {
    for (let count = 0; count < 3; count += 1) {
      const eventId = await aPendingEvent(world.bed, partner);
      await world.start(eventId);
      await world.untilDealtWith([eventId]);
      await world.environment.sleep('30 seconds');
      await world.setClock();
    }
    const reason = 'it answered 410 3 times in a row';
    expect(world.warnings).toEqual([{ partner_id: partner.partnerId, reason }]);
    await expect(readDisabledReason(world, partner)).resolves.toBe(reason);
    await expect(aPendingEvent(world.bed, partner)).rejects.toThrow('no event was written');
  }));

it('an endpoint is disabled after five days of failures, and its pending event is skipped', () =>
  withEndpoint(answers(500), async (world, partner) => {
    const { bed, environment, setClock } = world;
    const first = await aPendingEvent(bed, partner);
    await world.start(first);
    await world.untilDealtWith([first]);
    await expect(eventRow(bed, first)).resolves.toMatchObject({
      state: 'exhausted',
      attempts: 10,
    });
    await expect(readDisabledReason(world, partner)).resolves.toBeNull();
    // The ten attempts lasted 75.6 hours.
    await environment.sleep('12 hours');
    await setClock();
    const second = await aPendingEvent(bed, partner);
    await world.start(second);
    await world.untilDealtWith([second]);
    await expect(eventRow(bed, second)).resolves.toMatchObject({ state: 'skipped', attempts: 8 });
    await expect(readDisabledReason(world, partner)).resolves.toMatch(
      /^it has accepted nothing since /,
    );
    expect(world.warnings).toHaveLength(1);
  }));
