// Lists for operators: in order of time, bounded and read by index (architecture, section 5).
import { ID_RANDOM_BYTES, makeIntentId, type IntentId } from '../../../src/domain/ids';
import type { IntentStatus, PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { listAttention, listIntents } from '../../../src/postgres/reports/intent-list';
import { aDebitedIntent, anIntent, anIntentId, move } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { aPartner, type TestPartner } from '../../support/payments/partner';
import { addIntents, explaining } from '../../support/cost/query-plans';
import { withDatabase, withPartner } from '../../support/brackets';
import { readIntentStory, type StoryRows } from '../../../src/postgres/reports/intent-story';
import { anAttention } from '../../support/payments/attention';

const bed = withDatabase();
const partner = withPartner(bed);

/** An intent whose id and row have the same time, as made by an API with a correct clock. */
async function intentMadeAt(
  seconds: number,
  options: { readonly partner?: TestPartner; readonly status?: IntentStatus } = {},
): Promise<PaymentIntent> {
  const at = secondsAfter(NOON, seconds);
  await bed.setNow(at);
  const { partner: owner = partner, status = 'created' } = options;
  return anIntent(bed, owner, { status, intentId: anIdOf(at) });
}

let idsMade = 0;

function anIdOf(at: Date): IntentId {
  const random = new Uint8Array(ID_RANDOM_BYTES);
  idsMade += 1;
  new DataView(random.buffer).setUint32(0, idsMade);
  return makeIntentId(at.getTime(), random);
}

const ids = (rows: readonly { readonly intent_id: string }[]) =>
  rows.map(({ intent_id }) => intent_id);
const idsOf = (...intents: readonly PaymentIntent[]) => intents.map(({ intentId }) => intentId);

describe('the list of intents', () => {
  let other: TestPartner;
  let [first, second, third]: readonly PaymentIntent[] = [];

  beforeAll(async () => {
    other = await aPartner(bed);
    first = await intentMadeAt(0);
    second = await intentMadeAt(3_600, { partner: other, status: 'captured' });
    third = await intentMadeAt(7_200, { status: 'failed' });
  });

  const listed = async (filter: Partial<Parameters<typeof listIntents>[1]>) =>
    ids(await listIntents(bed.database, { limit: 20, ...filter }));
  const expected = (...intents: readonly (PaymentIntent | undefined)[]) =>
    idsOf(...intents.filter((intent) => intent !== undefined));

  it('is newest first, and no longer than its limit', async () => {
    expect(await listed({})).toEqual(expected(third, second, first));
    expect(await listed({ limit: 2 })).toEqual(expected(third, second));
  });

  it('filters by status, partner and time, the time included', async () => {
    expect(await listed({ status: 'captured' })).toEqual(expected(second));
    expect(await listed({ partnerId: other.partnerId })).toEqual(expected(second));
    expect(await listed({ since: secondsAfter(NOON, 3_600) })).toEqual(expected(third, second));
    expect(await listed({ since: secondsAfter(NOON, 3_600.001) })).toEqual(expected(third));
    expect(await listed({ status: 'created', since: secondsAfter(NOON, 1) })).toEqual([]);
  });

  it('finds an intent by its time although the clock of its API was minutes slow', async () => {
    await bed.setNow(secondsAfter(NOON, 10_000));
    const intentId = anIdOf(secondsAfter(NOON, 10_000 - 14 * 60));
    await anIntent(bed, partner, { intentId });
    expect(await listed({ since: secondsAfter(NOON, 10_000) })).toEqual([intentId]);
  });
});

describe('the list of intents that need attention', () => {
  it('has the longest waiting first, with the reason and the duration', async () => {
    const newer = await intentMadeAt(20_000, { status: 'authorized' });
    const older = await intentMadeAt(20_001, { status: 'authorized' });
    await bed.intents.setAttention(older.intentId, anAttention('the first'));
    await bed.setNow(secondsAfter(NOON, 20_061));
    await bed.intents.setAttention(newer.intentId, anAttention('the second'));
    await bed.setNow(secondsAfter(NOON, 20_081));
    const rows = await listAttention(bed.database, { limit: 20 });
    expect(rows).toMatchObject([
      { intent_id: older.intentId, attention: [{ sentence: 'the first' }], attention_seconds: 80 },
      { intent_id: newer.intentId, attention: [{ sentence: 'the second' }], attention_seconds: 20 },
    ]);
    expect(ids(await listAttention(bed.database, { limit: 1 }))).toEqual([older.intentId]);
    const since = secondsAfter(NOON, 20_001);
    expect(ids(await listAttention(bed.database, { limit: 20, since }))).toEqual([older.intentId]);
    expect(await listAttention(bed.database, { limit: 20, status: 'created' })).toEqual([]);
  });
});

describe('beside 120 000 other intents', () => {
  let rare: PaymentIntent;
  let rarePartner: TestPartner;

  beforeAll(async () => {
    rarePartner = await aPartner(bed);
    rare = await intentMadeAt(30_000, { partner: rarePartner, status: 'authorized' });
    await bed.intents.setAttention(rare.intentId, anAttention('check it'));
    await addIntents(bed.database, partner.partnerId, 120_000);
    await bed.database.query({ text: 'vacuum analyze payment_intents' });
  });

  it('the oldest is found in two statements for each of three pages', async () => {
    const { database, plans } = explaining(bed.database, false);
    const filter = { partnerId: rarePartner.partnerId, limit: 20 };
    expect(ids(await listIntents(database, filter))).toEqual([rare.intentId]);
    expect(plans).toHaveLength(6);
  });

  it.each([
    ['newest', { limit: 20 }],
    ['a status', { limit: 1_000, status: 'authorized' }],
    ['a time', { limit: 20, since: secondsAfter(NOON, 29_000) }],
  ] as const)('no table is read in full for the list by %s', async (_, filter) => {
    const { database, plans } = explaining(bed.database, false);
    await listIntents(database, filter);
    expect(plans.filter((plan) => !plan.includes('payment_intents_by_creation'))).toEqual([]);
    expect(plans.filter((plan) => plan.includes('Seq Scan'))).toEqual([]);
  });

  it('an intent that needs attention is found by its own index', async () => {
    const { database, plans } = explaining(bed.database, false);
    await listAttention(database, { limit: 20, partnerId: rarePartner.partnerId });
    expect(plans).toEqual([expect.stringContaining('payment_intents_needing_attention')]);
  });
});

// A story is one snapshot: status, transitions, money and event are consistent, whatever commits
// while it is read.
describe('the story of a payment', () => {
  const bed = withDatabase({ poolSize: 4 });
  const partner = withPartner(bed);

  const isCaptured = ({ intent }: StoryRows) => intent.status === 'captured';

  function isConsistent(story: StoryRows): boolean {
    const { intent, transitions, entries, events } = story;
    const isAudited = (transitions.at(-1)?.to ?? 'created') === intent.status;
    const isBooked = entries.some(({ transfer_key }) => transfer_key.endsWith(':capture'));
    const eventCount = Number(isCaptured(story));
    return isAudited && isBooked === isCaptured(story) && events.length === eventCount;
  }

  it('is consistent in each of many reads beside a settlement', async () => {
    const stories: StoryRows[] = [];
    for (let round = 0; round < 10; round += 1) {
      const { intentId } = await aDebitedIntent(bed, partner);
      const settling = move(bed, intentId, 'capture');
      for (let read = 0; read < 10; read += 1) {
        const story = await readIntentStory(bed.database, intentId);
        if (story !== undefined) stories.push(story);
      }
      await settling;
    }
    expect(stories).toHaveLength(100);
    expect(stories.filter((story) => !isConsistent(story))).toEqual([]);
    expect(stories.some(isCaptured)).toBe(true);
  });

  it('is undefined for an unknown intent', async () => {
    await expect(readIntentStory(bed.database, anIntentId())).resolves.toBeUndefined();
  });
});
