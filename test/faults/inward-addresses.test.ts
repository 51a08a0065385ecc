// Decision 114 in prod: a partner whose host name resolves to an internal address gets no
// connection. The recorded attempt and the log give the reason, but API answers do not.
import { createWebhookActivities } from '../../activities/webhooks';
import { createEndpointSlots, createEndpointSpeeds } from '../../src/domain/webhooks/endpoints';
import { createKeySetFetcher } from '../../src/http/key-set-fetcher';
import type { Outbound } from '../../src/http/outbound';
import { createPartnerOutbound } from '../../src/http/partner-outbound';
import { createWebhookSender } from '../../src/http/webhook-sender';
import { startApp } from '../support/app';
import { withDatabase } from '../support/brackets';
import { anIntent, recogniseErrorsOfNode, type TestBed } from '../support/builders';
import { createCountedServers, type CountedServer } from '../support/servers/counted-servers';
import { startNameServer, type NameServer } from '../support/servers/name-server';
import { aPartner, mintToken, type TestPartner } from '../support/payments/partner';
import { SILENT } from '../support/silent-log';

recogniseErrorsOfNode();

const WHY = 'the address 127.0.0.1 is not public (loopback, RFC 1122)';

const servers = createCountedServers();
let names: NameServer;
const bed = withDatabase();
let prod: TestBed;
let outbound: Outbound;
let inside: CountedServer;
let partner: TestPartner;

beforeAll(async () => {
  names = await startNameServer(() => ({ addresses: ['127.0.0.1'] }));
  prod = { ...bed, ...bed.storesIn('prod') };
  outbound = createPartnerOutbound({ environment: 'prod' }, names);
  inside = await servers.http((_, response) => response.end('{}'));
  partner = await aPartner(bed, {
    env: 'prod',
    jwksUrl: `https://keys.inward.test:${inside.port}/.well-known/jwks.json`,
    webhookUrl: `https://hooks.inward.test:${inside.port}/`,
  });
});
afterAll(async () => {
  await outbound.close();
  servers.closeAll();
  names.close();
});

it('does not fetch its key set: rejects its tokens like any other, and logs the reason', async () => {
  const app = await startApp(bed, { environment: 'prod', keySets: createKeySetFetcher(outbound) });
  const intent = await anIntent(prod, partner);
  const reply = await app.send({
    path: `/v1/payment_intents/${intent.intentId}`,
    headers: { Authorization: `Bearer ${mintToken(partner, intent)}` },
  });
  await app.close();
  expect(reply).toMatchObject({ status: 401 });
  expect(JSON.parse(reply.text)).toEqual({
    error: 'authentication_failed',
    message: expect.not.stringMatching(/address|public|127/) as unknown,
  });
  // The failed fetch, and the rejection for want of it.
  expect(app.lines.filter((line) => line.includes(WHY))).toHaveLength(2);
  expect([names.asked.some(({ name }) => name === 'keys.inward.test'), inside.connections]).toEqual(
    [true, 0],
  );
});

it('does not send its webhook: records the attempt with the reason, and retries it', async () => {
  const intent = await anIntent(prod, partner, { status: 'failed' });
  const { eventId } = await prod.intents.readCurrentState(intent.intentId);
  if (eventId === null) throw new Error('no event was written');
  const { deliverWebhook } = createWebhookActivities({
    store: prod.webhooks,
    slots: createEndpointSlots(1),
    speeds: createEndpointSpeeds(),
    sender: createWebhookSender(outbound),
    clock: bed.clock,
    random: () => 0.5,
    log: SILENT,
    metrics: { webhookAttempted: () => undefined },
  });
  await expect(deliverWebhook(eventId, intent.partnerId)).rejects.toMatchObject({
    type: 'WebhookRejected',
  });
  const { rows } = await bed.database.query({
    text: `select status, error, answer_excerpt from webhook_attempts where event_id = $1`,
    values: [eventId],
  });
  expect(rows).toEqual([{ status: null, error: WHY, answer_excerpt: null }]);
  expect([
    names.asked.some(({ name }) => name === 'hooks.inward.test'),
    inside.connections,
  ]).toEqual([true, 0]);
});
