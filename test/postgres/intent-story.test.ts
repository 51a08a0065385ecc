// A story is one snapshot: whatever commits while it is read, status, transitions, money and event belong together.
import { readIntentStory, type StoryRows } from '../../src/postgres/intent-story';
import { anIntent, anIntentId, openTestBed, type TestBed } from '../support/builders';
import { aPartner, type TestPartner } from '../support/partner';

let bed: TestBed;
let partner: TestPartner;
beforeAll(async () => {
  bed = await openTestBed({ poolSize: 4 });
  partner = await aPartner(bed);
});
afterAll(() => bed.close());

const isCaptured = ({ intent }: StoryRows) => intent.status === 'captured';

function isWhole(story: StoryRows): boolean {
  const { intent, transitions, entries, events } = story;
  const isTold = (transitions.at(-1)?.to ?? 'created') === intent.status;
  const isBooked = entries.some(({ transfer_key }) => transfer_key.endsWith(':capture'));
  return isTold && isBooked === isCaptured(story) && events.length === Number(isCaptured(story));
}

it('is whole in every one of many readings beside a settlement', async () => {
  const stories: StoryRows[] = [];
  for (let round = 0; round < 10; round += 1) {
    const { intentId, amountUsdCents } = await anIntent(bed, partner, { status: 'authorized' });
    await bed.funds.debit(intentId, amountUsdCents);
    const settling = bed.intents.transition({
      intentId,
      from: 'authorized',
      event: 'capture',
      actor: 'system',
    });
    for (let reading = 0; reading < 10; reading += 1) {
      const story = await readIntentStory(bed.database, intentId);
      if (story !== undefined) stories.push(story);
    }
    await settling;
  }
  expect(stories).toHaveLength(100);
  expect(stories.filter((story) => !isWhole(story))).toEqual([]);
  expect(stories.some(isCaptured)).toBe(true);
});

it('is undefined of an intent that nobody has', async () => {
  await expect(readIntentStory(bed.database, anIntentId())).resolves.toBeUndefined();
});
