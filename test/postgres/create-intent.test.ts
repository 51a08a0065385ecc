// Create: nonce, idempotency record and intent in one statement (architecture, section 5; decisions 12 and 14).
import { usdCents } from '../../src/domain/money';
import type { CreateIntentCommand } from '../../src/ports/intent-store';
import { createIntentStore } from '../../src/postgres/intent-store';
import {
  aCreateCommand,
  anEventId,
  aNonce,
  anIntent,
  countOf,
  sha256,
  times,
  TTL_SECONDS,
} from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner } from '../support/partner';
import { withDatabase, withPartner } from '../support/brackets';

const bed = withDatabase({ poolSize: 20 });
const partner = withPartner(bed);
const other = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const withKey = (key: string, body = 'the body'): Partial<CreateIntentCommand> => ({
  idempotency: { key, bodyDigest: sha256(body) },
});
const intentsIn = () => countOf(bed, 'select count(*) from payment_intents');
const noncesIn = () => countOf(bed, 'select count(*) from request_nonces');

describe('creating an intent', () => {
  it('answers the intent as created, with the deadline after its time to live', async () => {
    const command = aCreateCommand(partner, { corridor: 'vn_qrpay', amountUsdCents: usdCents(77) });
    await expect(bed.intents.create(command)).resolves.toEqual({
      outcome: 'created',
      intent: {
        intentId: command.intentId,
        partnerId: partner.partnerId,
        status: 'created',
        amountUsdCents: 77,
        corridor: 'vn_qrpay',
        createdAt: NOON,
        expiresAt: secondsAfter(NOON, TTL_SECONDS),
        capturedAt: null,
      },
    });
  });

  it('leaves one row and one nonce', async () => {
    const [intents, nonces] = [await intentsIn(), await noncesIn()];
    await bed.intents.create(aCreateCommand(partner));
    expect([await intentsIn(), await noncesIn()]).toEqual([intents + 1, nonces + 1]);
  });

  it('holds the bound of the amount in the table too', async () => {
    const { intentId } = await anIntent(bed, partner);
    const set = (amount: number) =>
      bed.database.query({
        text: 'update payment_intents set amount_usd_cents = $2 where intent_id = $1',
        values: [intentId, amount],
      });
    await expect(set(0)).rejects.toThrow('amount_within_limits');
    await expect(set(100_000_001)).rejects.toThrow('amount_within_limits');
  });
});

describe('an idempotency key', () => {
  it('of twenty parallel creates leaves one row, and all are answered with the same intent', async () => {
    const before = await intentsIn();
    const outcomes = await times(20, () =>
      bed.intents.create(aCreateCommand(partner, withKey('race'))),
    );
    expect(await intentsIn()).toBe(before + 1);
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
      'created',
      ...Array.from({ length: 19 }, () => 'replayed'),
    ]);
    const intents = outcomes.map((answer) => ('intent' in answer ? answer.intent : undefined));
    expect(new Set(intents.map((intent) => JSON.stringify(intent))).size).toBe(1);
  });

  it('with the same body answers the first intent again', async () => {
    const first = await bed.intents.create(aCreateCommand(partner, withKey('again')));
    const second = await bed.intents.create(aCreateCommand(partner, withKey('again')));
    expect(second).toEqual({ ...first, outcome: 'replayed' });
  });

  it('is remembered when the intent has moved on', async () => {
    const intent = await anIntent(bed, partner, { ...withKey('moved'), status: 'captured' });
    const second = await bed.intents.create(aCreateCommand(partner, withKey('moved')));
    expect(second).toEqual({ outcome: 'replayed', intent });
  });

  it('with another body is refused, and nothing is created', async () => {
    await bed.intents.create(aCreateCommand(partner, withKey('reused', 'one')));
    const before = await intentsIn();
    const second = aCreateCommand(partner, withKey('reused', 'two'));
    await expect(bed.intents.create(second)).resolves.toEqual({ outcome: 'key_reused' });
    expect(await intentsIn()).toBe(before);
  });

  it('raced by two bodies belongs to one of them, and the other is refused', async () => {
    const outcomes = await times(10, (index) =>
      bed.intents.create(aCreateCommand(partner, withKey('bodies', String(index)))),
    );
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
      'created',
      ...Array.from({ length: 9 }, () => 'key_reused'),
    ]);
  });

  it('is scoped to its partner', async () => {
    await bed.intents.create(aCreateCommand(partner, withKey('shared')));
    const theirs = await bed.intents.create(aCreateCommand(other, withKey('shared')));
    expect(theirs.outcome).toBe('created');
  });

  it('needs a fresh nonce for every replay', async () => {
    const command = aCreateCommand(partner, withKey('nonce'));
    await bed.intents.create(command);
    await expect(bed.intents.create(command)).resolves.toEqual({
      outcome: 'refused',
      why: 'seen',
    });
  });
});

describe('a nonce', () => {
  it('that was seen is refused, and nothing is written', async () => {
    const caller = partner.caller();
    await bed.intents.create(aCreateCommand(partner, { caller }));
    const before = await intentsIn();
    const repeated = await bed.intents.create(aCreateCommand(partner, { caller }));
    expect(repeated).toEqual({ outcome: 'refused', why: 'seen' });
    expect(await intentsIn()).toBe(before);
  });

  it('of fifty simultaneous equal requests lets exactly one create', async () => {
    const command = aCreateCommand(partner);
    const before = await intentsIn();
    const outcomes = await times(50, () => bed.intents.create(command));
    expect(outcomes.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === 'refused')).toHaveLength(49);
    expect(await intentsIn()).toBe(before + 1);
  });

  it('is the partner’s own: another may draw the same', async () => {
    const nonce = aNonce();
    const answers = [partner, other].map((who) =>
      bed.intents.create(aCreateCommand(who, { caller: who.caller({ nonce }) })),
    );
    expect((await Promise.all(answers)).map(({ outcome }) => outcome)).toEqual([
      'created',
      'created',
    ]);
  });

  it('recorded by a GET is refused to a create', async () => {
    const caller = partner.caller();
    await expect(bed.replayGuard.claimNonce(caller)).resolves.toBe('claimed');
    await expect(bed.replayGuard.claimNonce(caller)).resolves.toBe('seen');
    const created = await bed.intents.create(aCreateCommand(partner, { caller }));
    expect(created).toEqual({ outcome: 'refused', why: 'seen' });
  });
});

describe('the statement judges key and address once more, and writes nothing when they no longer hold', () => {
  const expectRefused = async (command: CreateIntentCommand) => {
    const [intents, nonces] = [await intentsIn(), await noncesIn()];
    await expect(bed.intents.create(command)).resolves.toEqual({
      outcome: 'refused',
      why: 'withdrawn',
    });
    await expect(bed.replayGuard.claimNonce(command.caller)).resolves.toBe('withdrawn');
    expect([await intentsIn(), await noncesIn()]).toEqual([intents, nonces]);
  };

  it('refuses a key that was revoked', async () => {
    const revoked = await aPartner(bed);
    await bed.database.query({
      text: 'update signing_keys set revoked_at = service_now() where key_id = $1',
      values: [revoked.key_id],
    });
    await expectRefused(aCreateCommand(revoked));
  });

  it('refuses a key from the instant of its revokes_at on, and not before', async () => {
    const rotating = await aPartner(bed);
    await bed.database.query({
      text: 'update signing_keys set revokes_at = $2 where key_id = $1',
      values: [rotating.key_id, secondsAfter(NOON, 60)],
    });
    await bed.setNow(secondsAfter(NOON, 59));
    const last = await bed.intents.create(aCreateCommand(rotating));
    expect(last.outcome).toBe('created');
    await bed.setNow(secondsAfter(NOON, 60));
    await expectRefused(aCreateCommand(rotating));
  });

  it('refuses an address that was removed', async () => {
    const moved = await aPartner(bed, { allow: ['127.0.0.1', '203.0.113.0/24'] });
    const from = (address: string) => ({ caller: moved.caller({ address }) });
    const inside = await bed.intents.create(aCreateCommand(moved, from('203.0.113.9')));
    expect(inside.outcome).toBe('created');
    await bed.database.query({
      text: `delete from partner_addresses where partner_id = $1 and network = '203.0.113.0/24'`,
      values: [moved.partnerId],
    });
    await expectRefused(aCreateCommand(moved, from('203.0.113.9')));
  });

  it('refuses a key id that is another partner’s', async () => {
    await expectRefused(
      aCreateCommand(partner, { caller: partner.caller({ keyId: other.key_id }) }),
    );
  });

  it('refuses a key of another environment', async () => {
    const prod = createIntentStore({
      database: bed.database,
      environment: 'prod',
      makeEventId: anEventId,
    });
    await expect(prod.create(aCreateCommand(partner))).resolves.toEqual({
      outcome: 'refused',
      why: 'withdrawn',
    });
    await expect(bed.intents.create(aCreateCommand(partner))).resolves.toMatchObject({
      outcome: 'created',
    });
  });
});
