// Decisions of operators (decision 159): who may ask, approve and carry out, and what an approval
// permits, tried with raw SQL by a login of each role.
import { approve, ask, reject } from '../../../src/postgres/approvals/approvals';
import { decide, type Decision } from '../../../src/postgres/approvals/decide';
import { secondsAfter, NOON } from '../../support/clock';
import { aFunding, openFourEyes, YES, type Person } from '../../support/four-eyes';

let hands: Awaited<ReturnType<typeof openFourEyes>>;
beforeAll(async () => {
  hands = await openFourEyes();
});
afterEach(() => hands.reset());
afterAll(() => hands.close());

const on = (person: Person) => hands.as[person];
const holding = async () => {
  const { rows } = await hands.bed.database.query<{ readonly balance: number }>({
    text: 'select balance_usd_cents as balance from holding_balance',
  });
  return rows[0]?.balance;
};
const asked = (decision: Decision) => hands.asked(decision);
const approved = (decision: Decision) => hands.approved(decision);
const stateOf = async (id: string) => {
  const { rows } = await hands.bed.database.query<{ readonly state: string }>({
    text: 'select state from shown_approvals where id = $1',
    values: [id],
  });
  return rows[0]?.state;
};

describe.each(['ann', 'cleo'] as const)('%s, without an approval', (person) => {
  it('decides nothing that needs two', async () => {
    const before = await holding();
    await expect(decide(on(person), aFunding())).rejects.toMatchObject({
      name: 'ApprovalRequired',
    });
    expect(await holding()).toBe(before);
  });

  it('stops, closes and suspends alone', async () => {
    const why = { reason: 'a drill' };
    const { partnerId } = hands.partner;
    const stops: Decision[] = [
      { verb: 'payouts stop', given: { ...why, kind: 'operator' } },
      { verb: 'corridors close', given: { ...why, of: 'th_qrpay' } },
      { verb: 'partners suspend', given: { ...why, of: partnerId } },
    ];
    for (const decision of stops) {
      await expect(decide(on(person), decision)).resolves.toMatchObject({ asked_by: null });
    }
    const { rows } = await hands.bed.database.query({
      text: `select distinct actor from closures where ended_at is null`,
    });
    expect(rows).toEqual([{ actor: hands.loginOf[person].name }]);
    await hands.bed.database.query({
      text: `update closures set ended_at = now(), ended_by = 'x', ended_reason = 'x'`,
    });
  });
});

it.each(['sue', 'app'] as const)(
  '%s decides, asks, approves and rejects nothing',
  async (person) => {
    const decision = aFunding();
    const id = await asked(decision);
    const denied = /permission denied|may not do|is no approver|not yours|login of the service/;
    await expect(decide(on(person), decision)).rejects.toThrow(denied);
    await expect(ask(on(person), decision, decision.verb.split(' '))).rejects.toThrow(denied);
    await expect(approve(on(person), id, YES)).rejects.toThrow(denied);
    await expect(reject(on(person), id, 'no')).rejects.toThrow(denied);
    expect(await stateOf(id)).toBe('waiting');
  },
);

it('an operator approves nothing, an approver asks for nothing, and neither its own', async () => {
  const decision = aFunding();
  const id = await asked(decision);
  for (const person of ['ann', 'ben'] as const) {
    await expect(approve(on(person), id, YES)).rejects.toThrow(/is no approver/);
  }
  await expect(ask(on('cleo'), decision, decision.verb.split(' '))).rejects.toThrow(
    /an operator asks/,
  );
  await expect(decide(on('cleo'), decision)).rejects.toMatchObject({ name: 'ApprovalRequired' });
});

it('what is approved moves once, in the name of who asked', async () => {
  const decision = aFunding();
  const id = await approved(decision);
  const before = (await holding()) ?? 0;
  const both = await Promise.all([decide(on('cleo'), decision), decide(on('cleo'), decision)]);
  expect(both.filter((done) => done !== null)).toHaveLength(1);
  expect(await holding()).toBe(before + 100);
  expect(await stateOf(id)).toBe('carried_out');
  const { rows } = await hands.bed.database.query({
    text: `select actor from ledger_transfers where transfer_key = 'fund:' || $1`,
    values: [new Map(Object.entries(decision.given)).get('key')],
  });
  expect(rows).toEqual([{ actor: hands.loginOf.ann.name }]);
});

it('is spent by what it permits, also where the same could be done again', async () => {
  const reseal = { verb: 'keys reseal', given: { reason: 'the yearly key' } };
  await approved(reseal);
  await expect(decide(on('cleo'), reseal)).resolves.not.toBeNull();
  await expect(decide(on('cleo'), reseal)).rejects.toMatchObject({ name: 'ApprovalRequired' });
});

it('permits nothing else: not another amount, key or verb', async () => {
  const { verb, given } = aFunding();
  await approved({ verb, given });
  const others: Decision[] = [
    { verb, given: { ...given, amount_usd_cents: 101 } },
    { verb, given: { ...given, key: 'another' } },
    { verb, given: { ...given, more: 1 } },
    { verb: 'accounts book-repayment', given: { ...given, corridor: 'th_qrpay' } },
  ];
  for (const decision of others) {
    const done = decide(on('cleo'), decision).catch((error: unknown) => (error as Error).name);
    expect([null, 'ApprovalRequired']).toContain(await done);
  }
});

it('waits for no approval after an hour, and moves nothing', async () => {
  const decision = aFunding();
  const id = await approved(decision);
  await hands.bed.setNow(secondsAfter(NOON, 3_600));
  await expect(decide(on('cleo'), decision)).rejects.toMatchObject({ name: 'ApprovalRequired' });
  await expect(approve(on('cleo'), id, YES)).rejects.toThrow(/has expired/);
  expect(await stateOf(id)).toBe('expired');
});

it('a rejected request cannot be approved, and a withdrawn one neither', async () => {
  const [one, other] = [await asked(aFunding()), await asked(aFunding())];
  await reject(on('cleo'), one, 'not today');
  await reject(on('ann'), other, 'a mistake');
  await expect(reject(on('ben'), await asked(aFunding()), 'x')).rejects.toThrow(/not yours/);
  for (const id of [one, other]) {
    await expect(approve(on('cleo'), id, YES)).rejects.toThrow(/It was rejected by/);
  }
});

it('nothing happens if what it acts on has changed since it was asked for', async () => {
  const door = { of: 'vn_qrpay', reason: 'a drill' };
  await decide(on('ann'), { verb: 'corridors close', given: door });
  const opening = { verb: 'corridors open', given: door };
  await approved(opening);
  await hands.bed.database.query({
    text: `update closures set ended_at = now(), ended_by = 'x', ended_reason = 'x'
            where ended_at is null`,
  });
  await decide(on('ann'), { verb: 'corridors close', given: door });
  await expect(decide(on('cleo'), opening)).rejects.toMatchObject({ name: 'ApprovalVoid' });
});

it('an approval is not for what was closed, or changed, after it was given', async () => {
  const { partnerId } = hands.partner;
  const door = { of: partnerId, reason: 'a drill' };
  const opening = { verb: 'partners resume', given: door };
  await approved(opening);
  await decide(on('ben'), { verb: 'partners suspend', given: { ...door, reason: 'fraud' } });
  await expect(decide(on('cleo'), opening)).rejects.toMatchObject({ name: 'ApprovalVoid' });
  await hands.bed.database.query({
    text: `update closures set ended_at = now(), ended_by = 'x', ended_reason = 'x'`,
  });
});

it('a stop that has become one for a restore is not lifted by an earlier approval', async () => {
  const stop = (kind: string) =>
    decide(on('ben'), { verb: 'payouts stop', given: { reason: 'the same', kind } });
  await stop('operator');
  const lift = { verb: 'payouts allow', given: { reason: 'over', after_restore: true } };
  await approved(lift);
  await stop('restore');
  await expect(decide(on('cleo'), lift)).rejects.toMatchObject({ name: 'ApprovalVoid' });
});

it('an older approval that is void hides no newer one', async () => {
  const { partnerId } = hands.partner;
  const set = { verb: 'partners set', given: { partner_id: partnerId, usd_cents_per_day: 7 } };
  await approved(set);
  await hands.bed.database.query({ text: 'update partners set intents_per_second = 9' });
  await approved(set);
  await expect(decide(on('cleo'), set)).resolves.toMatchObject({
    asked_by: hands.loginOf.ann.name,
  });
});

it('lifts only the stops that were shown', async () => {
  const stop = (reason: string) =>
    decide(on('ann'), { verb: 'payouts stop', given: { reason, kind: 'operator' } });
  await stop('one');
  const lift = { verb: 'payouts allow', given: { reason: 'over', after_restore: false } };
  await approved(lift);
  await stop('two');
  await expect(decide(on('cleo'), lift)).rejects.toMatchObject({ name: 'ApprovalVoid' });
});

it('one operator decides alone only where the owner allows it, for what that operator asked', async () => {
  const alone = { isAlone: true, reason: 'at night' };
  const id = await asked(aFunding());
  await expect(approve(on('ann'), id, alone)).rejects.toThrow(/Deciding alone is off/);
  await hands.setPolicy('break_glass = true');
  await expect(approve(on('ben'), id, alone)).rejects.toThrow(/Another login has asked/);
  await expect(approve(on('ann'), id, alone)).resolves.toMatchObject({
    is_alone: true,
    reason: 'at night',
  });
});

it('without four eyes one login decides, in its own name', async () => {
  await hands.setPolicy('four_eyes = false');
  await expect(decide(on('ann'), { ...aFunding(), actor: 'somebody' })).resolves.toMatchObject({
    asked_by: null,
  });
  const { rows } = await hands.bed.database.query({
    text: `select actor from ledger_transfers where transfer_key like 'fund:k%'
            order by created_at desc, transfer_key desc limit 1`,
  });
  expect(rows).not.toEqual([{ actor: 'somebody' }]);
});

it('a login with both roles, or with a name of the audit trail, does nothing', async () => {
  const { name } = hands.loginOf.ben;
  await hands.bed.database.query({ text: `grant payments_approver to ${name}` });
  await expect(decide(on('ben'), aFunding())).rejects.toThrow(/an operator and an approver/);
  await hands.bed.database.query({ text: `revoke payments_approver from ${name}` });
});
