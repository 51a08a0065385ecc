// No operator moves a payment without an approval, whatever asked its workflow to do it (decision
// 159): tried at the statement that takes effect, as a forged message to a workflow would reach it.
import type { IntentId } from '../../../src/domain/ids';
import { resolvedReason } from '../../../src/domain/intents/manual-resolution';
import { permit, type Decision } from '../../../src/postgres/approvals/decide';
import { recordResolution } from '../../../src/postgres/payouts/resolutions';
import { createLostCommits } from '../../../src/postgres/payouts/lost-commits';
import { createIntentStore } from '../../../src/postgres/intents/store';
import { aDebitedIntent, anEventId, anIntent, countOf, findExisting } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { openFourEyes } from '../../support/four-eyes';

let hands: Awaited<ReturnType<typeof openFourEyes>>;
beforeAll(async () => {
  hands = await openFourEyes();
});
afterEach(() => hands.bed.setNow(NOON));
afterAll(() => hands.close());

/** Made while one may move it alone. */
const without = async <Made>(make: () => Promise<Made>): Promise<Made> => {
  await hands.setPolicy('four_eyes = false');
  const made = await make();
  await hands.setPolicy('four_eyes = true');
  return made;
};
const aCaptured = () => without(() => anIntent(hands.bed, hands.partner, { status: 'captured' }));
const aDebited = () => without(() => aDebitedIntent(hands.bed, hands.partner));
const approved = (decision: Decision) => hands.approved(decision);
/** The store as a worker has it. */
const intents = () =>
  createIntentStore({
    database: hands.as.app,
    environment: 'sandbox',
    makeEventId: anEventId,
  });
const statusOf = async (intentId: IntentId) => (await findExisting(hands.bed, intentId)).status;
const unspent = () =>
  countOf(hands.bed, 'select count(*) from approvals where spent_at is null and is_approved');
const ann = () => hands.loginOf.ann.name;

const refund = (intentId: IntentId, actor: string) =>
  intents().transition({ intentId, from: 'captured', event: 'refund', actor });
const refunding = (intentId: IntentId): Decision => ({
  verb: 'intents refund',
  given: { intent_id: intentId, to: 'refunded', reason: null },
});

describe('a refund', () => {
  it.each(['system', 'partner', 'somebody'])('by %s moves nothing', async (actor) => {
    const { intentId } = await aCaptured();
    await approved(refunding(intentId));
    await expect(refund(intentId, actor)).resolves.toMatchObject({ outcome: 'other' });
    await expect(refund(intentId, hands.loginOf.ben.name)).resolves.toMatchObject({
      status: 'captured',
    });
    expect(await statusOf(intentId)).toBe('captured');
  });

  it('moves once by who asked, and spends the approval in that commit', async () => {
    const { intentId } = await aCaptured();
    await approved(refunding(intentId));
    const before = await unspent();
    const both = await Promise.all([refund(intentId, ann()), refund(intentId, ann())]);
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(['did', 'same']);
    expect(await unspent()).toBe(before - 1);
    expect(await refund(intentId, ann())).toMatchObject({ outcome: 'same' });
    expect(await unspent()).toBe(before - 1);
  });

  it('moves nothing while nobody has approved it', async () => {
    const { intentId } = await aCaptured();
    await hands.asked(refunding(intentId));
    await expect(refund(intentId, ann())).resolves.toMatchObject({ outcome: 'other' });
  });

  it('moves nothing too late, and for another payment', async () => {
    const [one, other] = [await aCaptured(), await aCaptured()];
    await approved(refunding(one.intentId));
    await expect(refund(other.intentId, ann())).resolves.toMatchObject({ outcome: 'other' });
    await hands.bed.setNow(secondsAfter(NOON, 3_600));
    await expect(refund(one.intentId, ann())).resolves.toMatchObject({ outcome: 'other' });
  });
});

describe("an operator's confirm", () => {
  const confirm = (intentId: IntentId, actor: string, reason = 'they called') =>
    intents().transition({ intentId, from: 'created', event: 'authorize', actor, reason });

  it.each(['system', 'partner', 'somebody'])('by %s moves nothing', async (actor) => {
    const { intentId } = await anIntent(hands.bed, hands.partner);
    await expect(confirm(intentId, actor)).resolves.toMatchObject({ outcome: 'not_allowed' });
    expect(await statusOf(intentId)).toBe('created');
  });

  it('moves with an approval, for the reason that was approved', async () => {
    const { intentId } = await anIntent(hands.bed, hands.partner);
    await approved({
      verb: 'intents confirm',
      given: { intent_id: intentId, to: 'authorized', reason: 'they called' },
    });
    const other = await confirm(intentId, ann(), 'another reason');
    expect(other).toMatchObject({ outcome: 'not_allowed' });
    await expect(confirm(intentId, ann())).resolves.toMatchObject({ outcome: 'did' });
  });
});

describe('a resolution', () => {
  const resolution = (actor: string) => ({
    ...({ outcome: 'paid', actor, evidence: 'statement line 7' } as const),
  });
  const capture = (intentId: IntentId, actor: string) =>
    intents().transition({
      ...({ intentId, from: 'authorized', event: 'capture', actor } as const),
      reason: resolvedReason('statement line 7'),
    });
  const given = (intentId: IntentId) => ({
    ...{ intent_id: intentId, to: 'captured', reason: resolvedReason('statement line 7') },
    is_provider_gone: false,
  });

  it('is not recorded without an approval, and not by the service', async () => {
    const { intentId } = await aDebited();
    await expect(recordResolution(hands.as.ann, intentId, resolution(ann()))).rejects.toMatchObject(
      { name: 'ApprovalRequired' },
    );
    await expect(recordResolution(hands.as.app, intentId, resolution('app'))).rejects.toThrow(
      /permission denied/,
    );
    await expect(capture(intentId, ann())).resolves.toMatchObject({ outcome: 'not_queried' });
    expect(await statusOf(intentId)).toBe('authorized');
  });

  it('moves with one, and spends it when the payment moves', async () => {
    const { intentId } = await aDebited();
    await approved({ verb: 'intents resolve', given: given(intentId) });
    const before = await unspent();
    await recordResolution(hands.as.cleo, intentId, resolution('typed'));
    expect(await unspent()).toBe(before);
    await expect(capture(intentId, ann())).resolves.toMatchObject({ outcome: 'did' });
    expect(await unspent()).toBe(before - 1);
  });

  it('moves nothing once another order was sent', async () => {
    const { intentId } = await aDebited();
    await approved({ verb: 'intents resolve', given: given(intentId) });
    await recordResolution(hands.as.cleo, intentId, resolution(ann()));
    await hands.bed.database.query({
      text: `insert into payouts (intent_id, status, attempts, first_attempt_at, requests)
             values ($1, 'sent', 1, now(), 1)`,
      values: [intentId],
    });
    await expect(capture(intentId, ann())).resolves.toMatchObject({ outcome: 'not_queried' });
    expect(await statusOf(intentId)).toBe('authorized');
  });
});

describe('the workflow of a lost row', () => {
  const closing = (actor: string) => ({ actor, evidence: 'not paid there' });
  const LOST = 'pi_00000000000000000000000000' as IntentId;
  const close = (actor: string) =>
    createLostCommits(hands.as.app).permitClosing(LOST, closing(actor));

  it('is closed by an operator with an approval only, which that spends', async () => {
    expect(await close(ann())).toBe(false);
    const decision = {
      verb: 'intents close-lost',
      given: { intent_id: LOST, reason: 'not paid there' },
    };
    await approved(decision);
    await expect(permit(hands.as.cleo, decision)).resolves.toBe(ann());
    expect(await close('somebody')).toBe(false);
    const before = await unspent();
    expect(await close(ann())).toBe(true);
    expect(await unspent()).toBe(before - 1);
    // Its answer was lost, and the activity runs again.
    expect(await close(ann())).toBe(true);
    expect(await close('somebody')).toBe(false);
  });
});
