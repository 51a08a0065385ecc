// Create: nonce, idempotency record and intent in one statement (architecture, section 5;
// decisions 12 and 14).
import { usdCents } from '../../../src/domain/money';
import type { CreateIntentCommand } from '../../../src/ports/intents';
import {
  aCreateCommand,
  aNonce,
  anIntent,
  countOf,
  sha256,
  times,
  TTL_SECONDS,
} from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { aPartner } from '../../support/payments/partner';
import { withDatabase, withPartner } from '../../support/brackets';

const bed = withDatabase({ poolSize: 20 });
const partner = withPartner(bed);
const other = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const SEEN = { outcome: 'rejected', why: 'seen' };
const withKey = (key: string): Partial<CreateIntentCommand> => ({
  idempotency: { key, bodyDigest: sha256('the body') },
});
const intentsIn = () => countOf(bed, 'select count(*) from payment_intents');
const noncesIn = () => countOf(bed, 'select count(*) from request_nonces');

describe('creating an intent', () => {
  it('answers the intent as created, with the deadline after its time to live', async () => {
    const command = aCreateCommand(partner, { corridor: 'vn_qrpay', amountUsdCents: usdCents(77) });
    await expect(bed.intents.create(command)).resolves.toEqual({
      outcome: 'created',
      directoryVersion: expect.any(Number) as number,
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

  it('has the bounds of the amount in the table too', async () => {
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

/** More tests of keys go through the API: create.test.ts and races.test.ts in test/api/intents. */
describe('an idempotency key', () => {
  it('is scoped to its partner', async () => {
    await bed.intents.create(aCreateCommand(partner, withKey('shared')));
    const theirs = await bed.intents.create(aCreateCommand(other, withKey('shared')));
    expect(theirs.outcome).toBe('created');
  });

  it('needs a fresh nonce for every replay', async () => {
    const command = aCreateCommand(partner, withKey('nonce'));
    await bed.intents.create(command);
    await expect(bed.intents.create(command)).resolves.toEqual(SEEN);
  });
});

describe('a nonce', () => {
  it('that was seen is rejected, and nothing is written', async () => {
    const caller = partner.caller();
    await bed.intents.create(aCreateCommand(partner, { caller }));
    const before = await intentsIn();
    const repeated = await bed.intents.create(aCreateCommand(partner, { caller }));
    expect(repeated).toEqual(SEEN);
    expect(await intentsIn()).toBe(before);
  });

  it('of fifty simultaneous equal requests lets exactly one create', async () => {
    const command = aCreateCommand(partner);
    const before = await intentsIn();
    const outcomes = (await times(50, () => bed.intents.create(command))).map((one) => one.outcome);
    expect(outcomes.sort()).toEqual(['created', ...Array<string>(49).fill('rejected')]);
    expect(await intentsIn()).toBe(before + 1);
  });

  it('is scoped to its partner: another partner may use the same', async () => {
    const nonce = aNonce();
    const answers = [partner, other].map((one) =>
      bed.intents.create(aCreateCommand(one, { caller: one.caller({ nonce }) })),
    );
    expect((await Promise.all(answers)).map(({ outcome }) => outcome)).toEqual([
      'created',
      'created',
    ]);
  });

  it('recorded by a GET is rejected in a create', async () => {
    const caller = partner.caller();
    await expect(bed.replayGuard.claimNonce(caller)).resolves.toBe('claimed');
    await expect(bed.replayGuard.claimNonce(caller)).resolves.toBe('seen');
    const created = await bed.intents.create(aCreateCommand(partner, { caller }));
    expect(created).toEqual(SEEN);
  });
});

describe('the statement checks key and address again, and writes nothing if one is invalid', () => {
  const expectRejected = async (command: CreateIntentCommand, why = 'key_withdrawn') => {
    const [intents, nonces] = [await intentsIn(), await noncesIn()];
    await expect(bed.intents.create(command)).resolves.toEqual({ outcome: 'rejected', why });
    await expect(bed.replayGuard.claimNonce(command.caller)).resolves.toBe(why);
    expect([await intentsIn(), await noncesIn()]).toEqual([intents, nonces]);
  };
  const expectCreated = (command: CreateIntentCommand) =>
    expect(bed.intents.create(command)).resolves.toMatchObject({ outcome: 'created' });
  const change = (text: string, ...values: unknown[]) => bed.database.query({ text, values });

  it('rejects a key that was revoked', async () => {
    const revoked = await aPartner(bed);
    await change(
      'update signing_keys set revoked_at = service_now() where key_id = $1',
      revoked.key_id,
    );
    await expectRejected(aCreateCommand(revoked));
  });

  it('rejects a key from the instant of its revokes_at on, and not before', async () => {
    const rotating = await aPartner(bed);
    const revokesAt = secondsAfter(NOON, 60);
    await change(
      'update signing_keys set revokes_at = $2 where key_id = $1',
      rotating.key_id,
      revokesAt,
    );
    await bed.setNow(secondsAfter(NOON, 59));
    await expectCreated(aCreateCommand(rotating));
    await bed.setNow(revokesAt);
    await expectRejected(aCreateCommand(rotating));
  });

  it('rejects an address that was removed', async () => {
    const moved = await aPartner(bed, { allow: ['127.0.0.1', '203.0.113.0/24'] });
    const inside = () =>
      aCreateCommand(moved, { caller: moved.caller({ address: '203.0.113.9' }) });
    await expectCreated(inside());
    await change(
      `delete from partner_addresses where partner_id = $1 and network = '203.0.113.0/24'`,
      moved.partnerId,
    );
    await expectRejected(inside(), 'address_withdrawn');
  });

  it('rejects another partner’s key id, and a key of another environment', async () => {
    const caller = partner.caller({ keyId: other.key_id });
    await expectRejected(aCreateCommand(partner, { caller }));
    const { intents: prod } = bed.storesIn('prod');
    const withdrawn = { outcome: 'rejected', why: 'key_withdrawn' };
    await expect(prod.create(aCreateCommand(partner))).resolves.toEqual(withdrawn);
  });
});
