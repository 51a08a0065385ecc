// Creates of many callers by one statement (decision 121): each gets what it would have got alone, and nonces, idempotency keys and
// minimum amounts are judged as if it had been (decisions 3, 12 and 14).
import type { CreateIntentOutcome } from '../../src/ports/intent-store';
import { createIntents } from '../../src/postgres/create-intent';
import type { Queryable } from '../../src/postgres/database';
import { aCreateCommand, aNonce, countOf, sha256, times, type TestBed } from '../support/builders';
import { openCostedBed, type CostedBed } from '../support/costed-bed';
import { aPartner, type TestPartner } from '../support/partner';
import { untilBlocked } from '../support/until-blocked';
import { wouldWait } from './lock-probe';

let costed: CostedBed;
let bed: TestBed;
let partner: TestPartner;
let other: TestPartner;

beforeAll(async () => {
  costed = await openCostedBed();
  ({ bed } = costed);
  [partner, other] = [await aPartner(bed), await aPartner(bed)];
  // Connections for as many statements as may be under way.
  await times(4, () => bed.database.query({ text: 'select 1' }));
});
afterAll(() => costed.close());

type Overrides = Parameters<typeof aCreateCommand>[1];

const create = (overrides?: Overrides, by = partner) =>
  bed.intents.create(aCreateCommand(by, overrides));
const intentsIn = () => countOf(bed, 'select count(*) from payment_intents');
const anIdempotency = (key = aNonce(), body = 'a body') => ({ key, bodyDigest: sha256(body) });
const toldOf = (answer: CreateIntentOutcome) =>
  answer.outcome === 'refused' ? answer.why : answer.outcome;

it('takes two statements and two commits for a hundred at once, each with an intent of its own', async () => {
  const before = await intentsIn();
  const creates = costed.countDuring(() => times(100, () => create()));
  await expect(creates).resolves.toEqual({ statements: 2, roundTrips: 2, commits: 2 });
  expect(await intentsIn()).toBe(before + 100);
});

it('answers each with the intent that it asked for', async () => {
  const commands = Array.from({ length: 60 }, (_, index) =>
    aCreateCommand(index % 2 === 0 ? partner : other, {
      corridor: index % 3 === 0 ? 'vn_qrpay' : 'th_qrpay',
    }),
  );
  const answers = await Promise.all(commands.map((command) => bed.intents.create(command)));
  expect(answers).toMatchObject(
    commands.map(({ intentId, corridor, caller }) => ({
      outcome: 'created',
      intent: { intentId, corridor, partnerId: caller.partnerId, status: 'created' },
    })),
  );
});

it('judges each for itself', async () => {
  const leaving = await aPartner(bed);
  await bed.database.query({
    text: 'update signing_keys set revoked_at = service_now() where partner_id = $1',
    values: [leaving.partnerId],
  });
  const idempotency = anIdempotency();
  await create({ idempotency });
  const spent = partner.caller();
  await create({ caller: spent });
  const before = await intentsIn();
  const cases: readonly (readonly [Overrides, TestPartner, string])[] = [
    [{}, partner, 'created'],
    [{ idempotency }, partner, 'replayed'],
    [{ idempotency: anIdempotency(idempotency.key, 'another body') }, partner, 'key_reused'],
    // A key is a partner's own, and so is a nonce.
    [{ idempotency }, other, 'created'],
    [{ caller: other.caller({ nonce: spent.nonce }) }, other, 'created'],
    [{ caller: spent }, partner, 'seen'],
    [{ isAmountAllowed: false }, partner, 'amount_below_minimum'],
    [{ isAmountAllowed: false, idempotency }, partner, 'replayed'],
    [{}, leaving, 'withdrawn'],
    [{ caller: partner.caller({ address: '203.0.113.7' }) }, partner, 'withdrawn'],
  ];
  const answers = await Promise.all(cases.map(([wish, by]) => create(wish, by)));
  expect(answers.map(toldOf)).toEqual(cases.map(([, , told]) => told));
  expect(await intentsIn()).toBe(before + 3);
});

it('makes one intent of equal keys that come together, and of equal nonces', async () => {
  const before = await intentsIn();
  const idempotency = anIdempotency();
  const equalKeys = await times(40, () => create({ idempotency }));
  expect(equalKeys.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
  expect(equalKeys.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(39);
  const caller = partner.caller();
  const equalNonces = await times(40, () => create({ caller }));
  expect(equalNonces.map(toldOf).filter((told) => told === 'created')).toHaveLength(1);
  expect(equalNonces.map(toldOf).filter((told) => told === 'seen')).toHaveLength(39);
  expect(await intentsIn()).toBe(before + 2);
});

it('makes them in the order of their keys, so that two processes wait for each other in no ring', async () => {
  const [last, first] = [anIdempotency(`z-${aNonce()}`), anIdempotency(`a-${aNonce()}`)];
  const createBy = (process: Queryable, idempotency: typeof last) =>
    createIntents(process, 'sandbox')(aCreateCommand(partner, { idempotency }));
  const { creates } = await bed.database.inTransaction(async (process) => {
    await createBy(process, last);
    const together = Promise.all([create({ idempotency: last }), create({ idempotency: first })]);
    await untilBlocked(process);
    await expect(wouldWait(bed.database, (other) => createBy(other, first))).resolves.toBe(true);
    return { creates: together };
  });
  expect((await creates).map(toldOf)).toEqual(['replayed', 'created']);
});
