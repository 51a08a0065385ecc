// Decision 112: the directory of partners is remembered, and nobody is refused, nor taken, by a memory that is older
// than the request.
import { createDirectory } from '../../../api/auth/directory';
import { DomainError } from '../../../src/domain/errors';
import type { PartnerDirectory } from '../../../src/ports/partner-directory';
import { createMemoryKeySets, startApp } from '../../support/app';
import { prepared, withApp, withDatabase, withPartner } from '../../support/brackets';
import { anIntent, times } from '../../support/builders';
import { aPartner, mintToken, type TestPartner } from '../../support/payments/partner';
import { SILENT } from '../../support/silent-log';

const NOWHERE = '/v1/payment_intents/pi_00000000000000000000000000';

const bed = withDatabase();
const partner = withPartner(bed);
const reads = { versions: 0, whole: 0 };

/** The real one, counting what it was asked. */
function counted(partners: PartnerDirectory): PartnerDirectory {
  return {
    readVersion() {
      reads.versions += 1;
      return partners.readVersion();
    },
    read() {
      reads.whole += 1;
      return partners.read();
    },
  };
}

const app = withApp(bed, () => ({
  keySets: createMemoryKeySets([partner]),
  partners: counted(bed.partners),
}));
const intent = prepared(bed, () => anIntent(bed, partner));
beforeEach(async () => {
  // Warm: everything that is in the database is remembered.
  await app.send({ path: NOWHERE });
  app.rejections.length = 0;
  Object.assign(reads, { versions: 0, whole: 0 });
});

const signedGet = (who: TestPartner) => app.sendSigned(who, { path: NOWHERE });
const tokenGet = () => app.get(intent, mintToken(partner, intent));
const change = (text: string, values: unknown[]) => bed.database.query({ text, values });

describe('what operations did is in force when it is committed', () => {
  it('a partner registered a moment ago gets in with its first request', async () => {
    const fresh = await aPartner(bed);
    expect(await signedGet(fresh)).toMatchObject({ status: 404 });
  });

  it('an address registered a moment ago is taken, and one withdrawn is not', async () => {
    const moved = await aPartner(bed, { allow: ['203.0.113.7'] });
    expect(await signedGet(moved)).toMatchObject({ status: 401 });
    const { partnerId } = moved;
    await change(`insert into partner_addresses values ($1, '127.0.0.0/8')`, [partnerId]);
    expect(await signedGet(moved)).toMatchObject({ status: 404 });
    await change(
      `delete from partner_addresses where partner_id = $1 and network = '127.0.0.0/8'`,
      [partnerId],
    );
    expect(await signedGet(moved)).toMatchObject({ status: 401 });
    // The first by the memory of a moment ago, which the statement that records the nonce contradicts.
    expect(app.rejections).toEqual(['source_address_not_registered', 'key_or_address_withdrawn']);
  });

  it('a key revoked a moment ago is refused, though it is remembered as active', async () => {
    const revoked = await aPartner(bed);
    expect(await signedGet(revoked)).toMatchObject({ status: 404 });
    await change(`update signing_keys set revoked_at = service_now() where key_id = $1`, [
      revoked.key_id,
    ]);
    expect(await signedGet(revoked)).toMatchObject({ status: 401 });
    expect(app.rejections).toEqual(['key_or_address_withdrawn']);
  });

  it('an issuer withdrawn a moment ago verifies no token, and one given back does', async () => {
    expect(await tokenGet()).toMatchObject({ status: 200 });
    const issuers = await change(
      `delete from token_issuers where partner_id = $1 returning environment, issuer, partner_id`,
      [partner.partnerId],
    );
    expect(await tokenGet()).toMatchObject({ status: 401 });
    expect(app.rejections).toEqual(['issuer_unknown']);
    for (const row of issuers.rows) {
      await change(`insert into token_issuers values ($1, $2, $3)`, Object.values(row));
    }
    expect(await tokenGet()).toMatchObject({ status: 200 });
  });

  it('a limit on the age of attestations counts for the next token', async () => {
    const age = (seconds: number | null) =>
      change(`update partners set kyc_max_age_seconds = $2 where partner_id = $1`, [
        partner.partnerId,
        seconds,
      ]);
    await age(60);
    expect(await tokenGet()).toMatchObject({ status: 401 });
    await age(null);
    expect(await tokenGet()).toMatchObject({ status: 200 });
    expect(app.rejections).toEqual(['attestation_not_accepted']);
  });
});

describe('the memory', () => {
  it('answers accepted requests without being looked after', async () => {
    await times(10, () => signedGet(partner));
    await times(10, tokenGet);
    expect(reads).toEqual({ versions: 0, whole: 0 });
  });

  it('is looked after once for every refused request that comes alone', async () => {
    await app.send({ path: NOWHERE });
    await app.send({ path: NOWHERE });
    expect(reads).toEqual({ versions: 2, whole: 0 });
  });

  it('is looked after at most once at a time, however many are refused', async () => {
    await times(200, () => app.send({ path: NOWHERE }));
    expect(reads.versions).toBeLessThan(200);
    expect(reads.whole).toBe(0);
  });

  it('is read once for all who come first', async () => {
    const directory = createDirectory(counted(bed.partners), SILENT);
    const known = await times(20, () => directory.remembered());
    expect(reads.whole).toBe(1);
    expect(known[0]?.keys.get(partner.key_id)).toMatchObject({ isRevoked: false });
  });

  it('is read anew for those who come during a read, by one read for all of them', async () => {
    const endOfTurn = () => new Promise((resolve) => setImmediate(resolve));
    const ends: (() => void)[] = [];
    const directory = createDirectory(
      {
        readVersion: () => Promise.resolve(ends.length + 1),
        read: () =>
          new Promise((resolve) => {
            const version = ends.length + 1;
            ends.push(() => resolve({ version, keys: new Map(), issuers: new Map() }));
          }),
      },
      SILENT,
    );
    const first = directory.renewed();
    await endOfTurn();
    const later = [directory.renewed(), directory.renewed()];
    await endOfTurn();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await expect(first).resolves.toMatchObject({ version: 1 });
    await endOfTurn();
    expect(ends).toHaveLength(2);
    ends[1]?.();
    expect((await Promise.all(later)).map(({ version }) => version)).toEqual([2, 2]);
  });

  it('that cannot be looked after refuses nobody: 503, and in force again when Postgres is', async () => {
    let isAway = false;
    const away = await startApp(bed, {
      partners: {
        readVersion: () =>
          isAway ? Promise.reject(new DomainError('unavailable')) : bed.partners.readVersion(),
        read: () => bed.partners.read(),
      },
    });
    expect(await away.send({ path: NOWHERE })).toMatchObject({ status: 401 });
    isAway = true;
    expect(await away.send({ path: NOWHERE })).toMatchObject({ status: 503 });
    isAway = false;
    expect(await away.send({ path: NOWHERE })).toMatchObject({ status: 401 });
    await away.close();
  });
});
