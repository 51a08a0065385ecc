// One clock decides a deadline, Postgres', inside the statement (architecture, section 3; decision 15).
import { EXPIRY_GRACE_MS } from '../../src/domain/limits';
import { anIntent, aTokenUse, countOf, openTestBed, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';

const LIFE_SECONDS = 60;
const DEADLINE = secondsAfter(NOON, LIFE_SECONDS);
const JUST_BEFORE = secondsAfter(DEADLINE, -0.001);

let bed: TestBed;
let partner: TestPartner;

beforeAll(async () => {
  bed = await openTestBed();
  partner = await aPartner(bed);
});
afterAll(() => bed.close());
beforeEach(() => bed.setNow(NOON));

const shortLived = () => anIntent(bed, partner, { timeToLiveSeconds: LIFE_SECONDS });

describe('before the deadline', () => {
  it('an expiry is not due, and says how long it still is', async () => {
    const { intentId } = await shortLived();
    const expire = { intentId, from: 'created', event: 'expire', actor: 'system' } as const;
    await expect(bed.intents.transition(expire)).resolves.toEqual({
      outcome: 'not_due',
      status: 'created',
      dueInMs: 60_000,
      eventId: null,
    });
    await bed.setNow(JUST_BEFORE);
    await expect(bed.intents.transition(expire)).resolves.toMatchObject({ dueInMs: 1 });
  });

  it.each([
    ['authorize', 'authorized'],
    ['cancel', 'cancelled'],
  ] as const)('%s of the last millisecond is in time', async (event, status) => {
    const { intentId } = await shortLived();
    await bed.setNow(JUST_BEFORE);
    const report = await bed.intents.transition({ intentId, from: 'created', event, actor: 'x' });
    expect(report).toMatchObject({ outcome: 'did', status });
  });
});

describe('from the deadline on', () => {
  it.each(['authorize', 'cancel'] as const)('%s writes expired', async (event) => {
    const { intentId } = await shortLived();
    await bed.setNow(DEADLINE);
    const command = { intentId, from: 'created', event, actor: 'x' } as const;
    await expect(bed.intents.transition(command)).resolves.toMatchObject({
      outcome: 'other',
      status: 'expired',
    });
    const told = await countOf(
      bed,
      `select count(*) from intent_transitions where intent_id = $1 and to_status = 'expired'`,
      [intentId],
    );
    expect(told).toBe(1);
  });

  it('an authorized intent has no deadline any more', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'authorized' });
    await bed.setNow(secondsAfter(NOON, 86_400));
    const cancel = { intentId, from: 'authorized', event: 'cancel', actor: 'partner' } as const;
    await expect(bed.intents.transition(cancel)).resolves.toMatchObject({ status: 'cancelled' });
  });
});

describe('readers', () => {
  const seen = async (intentId: Parameters<TestBed['intents']['find']>[0]) =>
    (await bed.intents.find(intentId))?.status;

  it('see created until deadline and grace are over, and expired after that', async () => {
    const { intentId } = await shortLived();
    const graceEnds = secondsAfter(DEADLINE, EXPIRY_GRACE_MS / 1_000);
    await bed.setNow(graceEnds);
    expect(await seen(intentId)).toBe('created');
    await bed.setNow(secondsAfter(graceEnds, 0.001));
    expect(await seen(intentId)).toBe('expired');
  });

  it('who saw expired never see the intent authorized later', async () => {
    const { intentId } = await shortLived();
    await bed.setNow(secondsAfter(DEADLINE, 10));
    expect(await seen(intentId)).toBe('expired');
    const token = aTokenUse(partner);
    await bed.intents.transition({
      intentId,
      from: 'created',
      event: 'authorize',
      actor: 'payer',
      token,
    });
    expect(await seen(intentId)).toBe('expired');
    const answer = await bed.tokens.answerConfirm(intentId, token, 'req_1');
    expect(answer?.answer).toBe('conflict');
  });
});
