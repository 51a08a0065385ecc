// A signed read records its nonce and reads the intent in one statement (decision 12): only one of
// any number of equal requests gets the intent, and rejected ones get nothing of it.
import { anIntent, anIntentId, aNonce } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { withDatabase, withPartner, prepared } from '../../support/brackets';

const bed = withDatabase();
const partner = withPartner(bed);
const intent = prepared(bed, () => anIntent(bed, partner));

describe('a signed read', () => {
  it('of an unknown intent records the nonce anyway', async () => {
    const caller = partner.caller();
    const nothing = { nonce: 'claimed', intent: undefined };
    expect(await bed.intents.findSigned(caller, anIntentId())).toEqual(nothing);
    expect(await bed.replayGuard.claimNonce(caller)).toBe('seen');
  });

  it('shows an intent past its deadline as expired', async () => {
    await bed.setNow(secondsAfter(NOON, 86_400));
    const { intent: seen } = await bed.intents.findSigned(partner.caller(), intent.intentId);
    expect(seen?.status).toBe('expired');
    await bed.setNow(NOON);
  });
});

describe('of equal signed reads', () => {
  it('one of fifty gets the intent, and the others get nothing', async () => {
    const caller = partner.caller({ nonce: aNonce() });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => bed.intents.findSigned(caller, intent.intentId)),
    );
    expect(answers.filter(({ nonce }) => nonce === 'claimed')).toHaveLength(1);
    const rejected = answers.filter(({ nonce }) => nonce !== 'claimed');
    expect(rejected).toEqual(Array(49).fill({ nonce: 'seen', intent: undefined }));
  });
});
