// docs/operations.md and operations/payctl-json.md name every metric of the watchers and every JSON
// member that payctl prints.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics } from '../../src/observe/api-metrics';
import { findIntents } from '../../src/ops/intents/list';
import { findIntentStory } from '../../src/ops/intents/story';
import { findPartnerStory } from '../../src/ops/partners/story';
import { listPartners } from '../../src/ops/partners/list';
import { reconciliationJson } from '../../src/ops/ledger/reconcile/view';
import { setPartner } from '../../src/ops/partners/set';
import { disableWebhook } from '../../src/ops/webhooks/disable';
import { rotateWebhookSecret } from '../../src/ops/webhooks/rotate';
import { setWebhook } from '../../src/ops/webhooks/set';
import { findWebhookEvent } from '../../src/ops/webhooks/event';
import { findWebhookEvents } from '../../src/ops/webhooks/list';
import { replayMany } from '../../src/ops/webhooks/replay-events';
import { createAttentionWatch } from '../../src/postgres/reports/attention';
import { aPartner } from '../support/payments/partner';
import { recordAttempt } from '../support/webhooks/webhooks';
import { lineOf, openReconcileWorld } from './ledger/reconcile-world';
import { aDebitedIntent, eventOf, steps } from './intents/story-rows';
import { anEvent } from './webhooks/rows';
import { withDatabase } from '../support/brackets';
import { NO_POOL } from '../support/no-pool';

const PAGES = ['operations.md', 'operations/payctl-json.md']
  .map((page) => readFileSync(join(__dirname, '../../docs', page), 'utf8'))
  .join('\n')
  .replaceAll(/```[^]*?```/g, '');
/** Every word that the pages have as code. */
const NAMED = new Set(
  [...PAGES.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.split(/\W+/)),
);

const bed = withDatabase();

function membersOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(membersOf);
  if (typeof value !== 'object' || value === null || value instanceof Date) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...membersOf(member)]);
}

it('names every member that show and list print', async () => {
  const intent = await aDebitedIntent(bed, await aPartner(bed));
  await steps(bed, intent, 'send', 'capture');
  await recordAttempt(bed, await eventOf(bed, intent), { status: 500 });
  const story = await findIntentStory(bed.database, intent.intentId);
  const list = await findIntents(bed.database, { limit: 1 });
  const members = [...new Set(membersOf([story, list]))];
  expect(members.length).toBeGreaterThan(30);
  expect(members.filter((name) => !NAMED.has(name))).toEqual([]);
});

it('names every member that the commands about partners and webhooks print', async () => {
  const partner = await aPartner(bed);
  const { partnerId } = partner;
  const operator = { actor: 'ann', reason: 'test' };
  const eventId = await anEvent(bed, partner, { state: 'skipped', attempts: 1 });
  const printed = [
    await setWebhook(bed, { partnerId }, operator),
    await rotateWebhookSecret(bed, { partnerId, overlapHours: 1 }, operator),
    await findWebhookEvents(bed.database, { partnerId, limit: 1 }),
    await replayMany(
      { database: bed.database, onProgress: () => undefined },
      { partnerId, since: undefined },
      operator,
    ),
    await findWebhookEvent(bed.database, eventId),
    await disableWebhook(bed.database, partnerId, operator),
    await setPartner(bed, { partnerId }, operator),
    await listPartners(bed.database),
    await findPartnerStory(bed.database, partnerId),
  ];
  const members = [...new Set(membersOf(printed))];
  expect(members.length).toBeGreaterThan(45);
  expect(members.filter((name) => !NAMED.has(name))).toEqual([]);
});

it('names every member that reconcile prints', async () => {
  const world = await openReconcileWorld();
  const reconciled = await world.reconcile([lineOf(await world.payment('failed'))]);
  await world.close();
  const members = [...new Set(membersOf(reconciliationJson(reconciled)))];
  expect(members.length).toBeGreaterThan(30);
  expect(members.filter((name) => !NAMED.has(name))).toEqual([]);
});

it('names every metric about waiting payments and webhooks', async () => {
  const text = await createMetrics(NO_POOL, createAttentionWatch(bed.database)).expose();
  const metrics = [...text.matchAll(/^# TYPE ((?:payments?|webhook)_\w+) gauge$/gm)];
  const names = metrics.map(([, name = '']) => name);
  expect(names).toHaveLength(8);
  expect(names.filter((name) => !NAMED.has(name))).toEqual([]);
});
