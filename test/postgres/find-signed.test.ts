// A signed read records its nonce and reads the intent in one statement (decision 12): one of any number of equal requests
// reads, and who is refused is told nothing of the intent.
import type { PaymentIntent } from '../../src/domain/payment-intent';
import {
  anIntent,
  anIntentId,
  aNonce,
  countOf,
  openTestBed,
  type TestBed,
} from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';

let bed: TestBed;
let partner: TestPartner;
let other: TestPartner;
let intent: PaymentIntent;

beforeAll(async () => {
  bed = await openTestBed();
  [partner, other] = [await aPartner(bed), await aPartner(bed)];
  intent = await anIntent(bed, partner);
});
afterAll(() => bed.close());

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

  it('tells another partner’s intent too: whose it is decides the API', async () => {
    const { nonce, intent: found } = await read(other);
    expect([nonce, found?.partnerId]).toEqual(['claimed', partner.partnerId]);
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

describe('a signed read by credentials that hold no more', () => {
  it.each([
    ['a revoked key', `update signing_keys set revoked_at = service_now() where partner_id = $1`],
    ['an address that was taken away', `delete from partner_addresses where partner_id = $1`],
  ])('as %s, is told nothing and leaves no nonce', async (_, text) => {
    const leaving = await aPartner(bed);
    const theirs = await anIntent(bed, leaving);
    await bed.database.query({ text, values: [leaving.partnerId] });
    const before = await noncesIn();
    expect(await read(leaving, theirs)).toEqual({ nonce: 'withdrawn', intent: undefined });
    expect(await noncesIn()).toBe(before);
  });
});
