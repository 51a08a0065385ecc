// A signed read records its nonce and reads the intent in one statement (decision 12): one of any number of equal requests
// reads, and who is refused is told nothing of the intent.
import { anIntent, anIntentId, aNonce, countOf } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { withDatabase, withPartner, prepared } from '../support/brackets';

const bed = withDatabase();
const partner = withPartner(bed);
const intent = prepared(bed, () => anIntent(bed, partner));

const read = (who = partner, { intentId } = intent) =>
  bed.intents.findSigned(who.caller(), intentId);
const noncesIn = () => countOf(bed, 'select count(*) from request_nonces');

describe('a signed read', () => {
  it('tells the intent as any read does, and records the nonce', async () => {
    const before = await noncesIn();
    expect(await read()).toEqual({
      nonce: 'claimed',
      intent: await bed.intents.find(intent.intentId),
    });
    expect(await noncesIn()).toBe(before + 1);
  });

  it('of what does not exist records the nonce all the same', async () => {
    const caller = partner.caller();
    const nowhere = anIntentId();
    expect(await bed.intents.findSigned(caller, nowhere)).toEqual({
      nonce: 'claimed',
      intent: undefined,
    });
    expect(await bed.replayGuard.claimNonce(caller)).toBe('seen');
  });

  it('shows an intent past its deadline as expired', async () => {
    const due = await anIntent(bed, partner);
    await bed.setNow(secondsAfter(NOON, 86_400));
    expect((await read(partner, due)).intent?.status).toBe('expired');
    await bed.setNow(NOON);
  });
});

describe('of equal signed reads', () => {
  it('one of fifty is answered, and the others learn nothing', async () => {
    const caller = partner.caller({ nonce: aNonce() });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => bed.intents.findSigned(caller, intent.intentId)),
    );
    expect(answers.filter(({ nonce }) => nonce === 'claimed')).toHaveLength(1);
    const refused = answers.filter(({ nonce }) => nonce !== 'claimed');
    expect(refused).toEqual(Array(49).fill({ nonce: 'seen', intent: undefined }));
  });
});
