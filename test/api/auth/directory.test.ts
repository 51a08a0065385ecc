// Decision 112: the directory of partners is cached, and no request is rejected or accepted on data
// that is older than the request.
import { createDirectory } from '../../../api/auth/directory';
import { DomainError } from '../../../src/domain/errors';
import type { PartnerDirectory } from '../../../src/ports/partners';
import { createMemoryKeySets, startApp } from '../../support/app';
import { prepared, withApp, withDatabase, withPartner } from '../../support/brackets';
import { anIntent, times } from '../../support/builders';
import { aPartner, mintToken, type TestPartner } from '../../support/payments/partner';
import { SILENT } from '../../support/silent-log';

const NOWHERE = '/v1/payment_intents/pi_00000000000000000000000000';

const bed = withDatabase();
const partner = withPartner(bed);
const reads = { versions: 0, whole: 0 };

/** The real directory, with its reads counted. */
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
  // Fill the cache with everything that is in the database.
  await app.send({ path: NOWHERE });
  app.rejections.length = 0;
  Object.assign(reads, { versions: 0, whole: 0 });
});

const signedGet = (who: TestPartner) => app.sendSigned(who, { path: NOWHERE });
const tokenGet = () => app.get(intent, mintToken(partner, intent));
const change = (text: string, values: unknown[]) => bed.database.query({ text, values });

describe('a change by an operator applies as soon as it is committed', () => {
  it('the first request of a new partner is accepted', async () => {
    const fresh = await aPartner(bed);
    expect(await signedGet(fresh)).toMatchObject({ status: 404 });
  });

  it('a new address is accepted, and a withdrawn one is not', async () => {
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
    // The second rejection comes from the statement that records the nonce: the cache was out of
    // date.
    expect(app.rejections).toEqual(['source_address_not_registered', 'address_withdrawn']);
  });

  it('a revoked key is rejected, though the cache says that it is active', async () => {
    const revoked = await aPartner(bed);
    expect(await signedGet(revoked)).toMatchObject({ status: 404 });
    await change(`update signing_keys set revoked_at = service_now() where key_id = $1`, [
      revoked.key_id,
    ]);
    expect(await signedGet(revoked)).toMatchObject({ status: 401 });
    expect(app.rejections).toEqual(['key_withdrawn']);
  });

  it('tokens of a withdrawn issuer are rejected until it is registered again', async () => {
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

  it('a limit on the age of attestations applies to the next token', async () => {
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

describe('the cache', () => {
  it('is not refreshed for accepted requests', async () => {
    await times(10, () => signedGet(partner));
    await times(10, tokenGet);
    expect(reads).toEqual({ versions: 0, whole: 0 });
  });

  it('is refreshed once for each rejected request that comes alone', async () => {
    await app.send({ path: NOWHERE });
    await app.send({ path: NOWHERE });
    expect(reads).toEqual({ versions: 2, whole: 0 });
  });

  it('has at most one refresh in progress, however many requests are rejected', async () => {
    await times(200, () => app.send({ path: NOWHERE }));
    expect(reads.versions).toBeLessThan(200);
    expect(reads.whole).toBe(0);
  });

  it('is compared with the database at first use after 50 s', async () => {
    let nowMs = 0;
    const directory = createDirectory(counted(bed.partners), SILENT, () => nowMs);
    const first = await directory.cached();
    nowMs = 49_999;
    await directory.cached();
    expect(reads).toEqual({ versions: 1, whole: 1 });
    nowMs = 50_000;
    expect(await directory.cached()).toBe(first);
    await change(`update signing_keys set revoked_at = service_now() where key_id = $1`, [
      (await aPartner(bed)).key_id,
    ]);
    nowMs = 100_000;
    expect(await directory.cached()).not.toBe(first);
    expect(reads).toEqual({ versions: 3, whole: 2 });
  });

  it('is read once for all first callers', async () => {
    const directory = createDirectory(counted(bed.partners), SILENT);
    const known = await times(20, () => directory.cached());
    expect(reads.whole).toBe(1);
    expect(known[0]?.keys.get(partner.key_id)).toMatchObject({ isRevoked: false });
  });

  it('is read once more for all callers that come during a read', async () => {
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
    const first = directory.refreshed();
    await endOfTurn();
    const later = [directory.refreshed(), directory.refreshed()];
    await endOfTurn();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await expect(first).resolves.toMatchObject({ version: 1 });
    await endOfTurn();
    expect(ends).toHaveLength(2);
    ends[1]?.();
    expect((await Promise.all(later)).map(({ version }) => version)).toEqual([2, 2]);
  });

  it('answers 503 instead of 401 while it cannot be refreshed', async () => {
    let isDown = false;
    const flaky = await startApp(bed, {
      partners: {
        readVersion: () =>
          isDown ? Promise.reject(new DomainError('unavailable')) : bed.partners.readVersion(),
        read: () => bed.partners.read(),
      },
    });
    expect(await flaky.send({ path: NOWHERE })).toMatchObject({ status: 401 });
    isDown = true;
    expect(await flaky.send({ path: NOWHERE })).toMatchObject({ status: 503 });
    isDown = false;
    expect(await flaky.send({ path: NOWHERE })).toMatchObject({ status: 401 });
    await flaky.close();
  });
});
