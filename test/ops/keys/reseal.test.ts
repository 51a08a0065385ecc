// `payctl keys reseal`: the key-encryption key is replaced while everything runs (architecture,
// section 5).
import { randomBytes } from 'node:crypto';
import { parseEventId } from '../../../src/domain/ids';
import { resealSecrets, type ResealReport } from '../../../src/ops/keys/reseal';
import { issueKey } from '../../../src/ops/keys/issue';
import { revokeKey } from '../../../src/ops/keys/revoke';
import { rotateWebhookSecret } from '../../../src/ops/webhooks/rotate';
import { createPartnerDirectory } from '../../../src/postgres/partners/directory';
import { createWebhookStore } from '../../../src/postgres/webhooks/store';
import { createSecretSeal, type SecretSeal } from '../../../src/signing/sealed-secret';
import { startApp, type TestApp } from '../../support/app';
import { anEventId, anIntent, KEY_ENCRYPTION_KEY, times } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { ANN, aPartner, type TestPartner } from '../../support/payments/partner';
import { claimed, finish, makeDue } from '../../support/webhooks/webhooks';
import {
  expectRejected,
  jsonOf,
  runPayctl,
  statusOfSigned,
  textOf,
} from '../../support/programs/payctl';
import { untilBlocked } from '../../support/until-blocked';
import { withDatabase } from '../../support/brackets';
import { countOpened, storedSecrets } from './stored-secrets';

const NEW_KEY = Buffer.alloc(32, 9);
const newAlone = createSecretSeal(NEW_KEY);
const newThenOld = createSecretSeal(NEW_KEY, [KEY_ENCRYPTION_KEY]);
const oldThenNew = createSecretSeal(KEY_ENCRYPTION_KEY, [NEW_KEY]);

const bed = withDatabase({ isPerTest: true });

const reseal = (onProgress: (count: number) => void = () => undefined): Promise<ResealReport> =>
  resealSecrets({ database: bed.database, seal: newThenOld, operator: ANN, onProgress });

const resealByCommand = (environment: Record<string, string> = {}) =>
  runPayctl(bed, ['keys', 'reseal', '--json', '--as', 'ann'], {
    KEY_ENCRYPTION_KEY: NEW_KEY.toString('base64'),
    KEY_ENCRYPTION_KEY_SECOND: KEY_ENCRYPTION_KEY.toString('base64'),
    ...environment,
  });

const rotate = ({ partner_id: partnerId }: TestPartner, overlapHours: number) =>
  rotateWebhookSecret(bed, { partnerId, overlapHours, yes: true }, { actor: 'ann', reason: null });

/** How many of all stored secrets open under the seal. */
const opened = (seal: SecretSeal) => countOpened(bed, seal);

/** Starts an API with this seal. */
function startAppWith(seal: SecretSeal): Promise<TestApp> {
  const storesIn = (environment: string) => ({
    ...bed.storesIn(environment),
    partners: createPartnerDirectory({ database: bed.database, environment, seal }),
  });
  return startApp({ ...bed, storesIn });
}

/** Writes revoked keys of one partner, sealed under the old key. */
async function manyKeys(count: number): Promise<void> {
  const partner = await aPartner(bed);
  const ids = Array.from({ length: count }, (_, index) => `many-${String(index).padStart(5, '0')}`);
  await bed.database.query({
    text: `insert into signing_keys
             (key_id, partner_id, environment, secret_sealed, slot, revoked_at)
           select id, $1, 'sandbox', sealed, 1, service_now()
             from unnest($2::text[], $3::bytea[]) as made (id, sealed)`,
    values: [partner.partner_id, ids, ids.map((id) => bed.seal.seal(`secret of ${id}`, id))],
  });
}

describe('keys reseal', () => {
  it('seals every secret under the new key, and signing keys work meanwhile', async () => {
    const partner = await aPartner(bed);
    const issued = await issueKey(bed, partner.partner_id, ANN);
    await revokeKey(bed.database, partner.key_id, ANN, { yes: true });
    const running = await startAppWith(oldThenNew);
    expect(await statusOfSigned(running, bed, issued)).toBe(404);

    expect(jsonOf(await resealByCommand())).toEqual({
      resealed: 3,
      already_sealed: 0,
      unopened: [],
    });
    const restarted = await startAppWith(newAlone);
    const later = await issueKey(
      { database: bed.database, seal: newThenOld },
      partner.partner_id,
      ANN,
    );
    for (const app of [running, restarted]) {
      expect(await statusOfSigned(app, bed, issued)).toBe(404);
      expect(await statusOfSigned(app, bed, later)).toBe(404);
      await app.close();
    }
    expect([await opened(newAlone), await opened(bed.seal)]).toEqual([4, 0]);

    const again = await resealByCommand();
    expect(JSON.parse(again.stdout)).toEqual({ resealed: 0, already_sealed: 4, unopened: [] });
    const { rows } = await bed.database.query({
      text: `select actor, events from operator_actions where action = 'keys reseal'
              order by action_id`,
    });
    expect(rows).toEqual([
      { actor: 'ann', events: 3 },
      { actor: 'ann', events: 0 },
    ]);
  });

  it('reseals the secret before the last rotation, whether it still signs or not', async () => {
    const [one, two] = [await aPartner(bed), await aPartner(bed)];
    await rotate(one, 24);
    await rotate(two, 24);
    await bed.setNow(secondsAfter(NOON, 90_000));
    await rotate(two, 24);
    const ran = await resealByCommand();
    expect(JSON.parse(ran.stdout)).toEqual({ resealed: 6, already_sealed: 0, unopened: [] });
    expect([await opened(newAlone), await opened(bed.seal)]).toEqual([6, 0]);
    await bed.setNow(NOON);
  });

  it('names the secret before the last rotation if it opens under neither key', async () => {
    const partner = await aPartner(bed);
    await rotate(partner, 24);
    await bed.database.query({
      text: `update webhook_endpoints set previous_secret_sealed = $1`,
      values: [createSecretSeal(randomBytes(32)).seal('lost', `webhook:${partner.partner_id}`)],
    });
    expect(await reseal()).toEqual({
      resealed: 2,
      already_sealed: 0,
      unopened: [`webhook:${partner.partner_id} (before the last rotation)`],
    });
  });

  it('continues after an interruption', async () => {
    await manyKeys(1_200);
    const interrupted = reseal((count) => {
      throw new Error(`killed after ${String(count)}`);
    });
    await expect(interrupted).rejects.toThrow('killed after 500');
    expect([await opened(newAlone), await opened(newThenOld)]).toEqual([500, 1_202]);

    const progress: number[] = [];
    expect(await reseal((count) => progress.push(count))).toEqual({
      resealed: 702,
      already_sealed: 500,
      unopened: [],
    });
    expect(progress).toEqual([500, 1_000]);
    expect(await opened(newAlone)).toBe(1_202);
  });

  it('says which key suffices, also if the two were exchanged', async () => {
    await aPartner(bed);
    const [old, next] = [KEY_ENCRYPTION_KEY, NEW_KEY].map((key) => key.toString('base64'));
    const exchanged = { KEY_ENCRYPTION_KEY: old ?? '', KEY_ENCRYPTION_KEY_SECOND: next ?? '' };
    expect(textOf(await runPayctl(bed, ['keys', 'reseal'], exchanged))).toMatch(
      /^resealed +0\nalready_sealed +2\nunopened +-\n\nEvery secret is sealed under KEY_ENCRYPTION_KEY;/,
    );
  });

  it('prints its progress to standard error', async () => {
    await manyKeys(600);
    const ran = await resealByCommand();
    expect([ran.code, ran.stderr]).toEqual([0, 'payctl: 500 secrets checked so far.\n']);
  });

  it('runs beside itself, and beside keys that are issued and revoked', async () => {
    await manyKeys(600);
    const partners = await times(5, () => aPartner(bed));
    const rotating = times(5, async (index) => {
      const { partner_id = '', key_id = '' } = partners[index] ?? {};
      await issueKey({ database: bed.database, seal: newThenOld }, partner_id, ANN);
      await revokeKey(bed.database, key_id, ANN, { yes: true });
    });
    const reports = await times(3, () => reseal());
    await rotating;
    expect(reports.flatMap(({ unopened }) => unopened)).toEqual([]);
    expect(await reseal()).toMatchObject({ resealed: 0, unopened: [] });
    expect(await opened(newAlone)).toBe(600 + 2 + 3 * 5);
  });

  it('never overwrites a secret that changed after it was read', async () => {
    const partner = await aPartner(bed);
    const owner = partner.key_id;
    const resealing = await bed.database.inTransaction(async (connection) => {
      await connection.query({ text: 'select version from directory_version for update' });
      const report = reseal();
      await untilBlocked(connection);
      await connection.query({
        text: `update signing_keys set secret_sealed = $2 where key_id = $1`,
        values: [owner, bed.seal.seal('changed meanwhile', owner)],
      });
      return { report };
    });
    expect(await resealing.report).toEqual({ resealed: 2, already_sealed: 0, unopened: [] });
    const stored = await storedSecrets(bed);
    const sealed = stored.find((one) => one.owner === owner)?.sealed ?? Buffer.alloc(0);
    expect(newAlone.open(sealed, owner)).toBe('changed meanwhile');
  });

  it('reseals the others and exits 1 if a secret opens under neither key', async () => {
    const [one, two] = [await aPartner(bed), await aPartner(bed)];
    const lost = createSecretSeal(randomBytes(32)).seal('lost', one.key_id);
    await bed.database.query({
      text: `update signing_keys set secret_sealed = $2 where key_id = $1`,
      values: [one.key_id, lost],
    });
    const moved = bed.seal.seal('of another', `webhook:${one.partner_id}`);
    await bed.database.query({
      text: `update webhook_endpoints set secret_sealed = $2 where partner_id = $1`,
      values: [two.partner_id, moved],
    });
    const ran = await resealByCommand();
    const unopened = [one.key_id, `webhook:${two.partner_id}`];
    expect(JSON.parse(ran.stdout)).toEqual({ resealed: 2, already_sealed: 0, unopened });
    expect([ran.code, ran.stderr]).toEqual([
      1,
      `payctl: These secrets open under neither key and were not changed: ${unopened.join(', ')}. Repeat with the key that they were sealed under as KEY_ENCRYPTION_KEY_SECOND.\n`,
    ]);
    expect((await storedSecrets(bed)).map(({ sealed }) => sealed)).toEqual(
      expect.arrayContaining([lost, moved]),
    );
  });
});

it('an invalid second key is named, and its value is never shown', async () => {
  const ran = await resealByCommand({ KEY_ENCRYPTION_KEY_SECOND: 'c2VjcmV0' });
  expectRejected(
    ran,
    2,
    /^payctl: Settings missing or wrong\. KEY_ENCRYPTION_KEY_SECOND is something else \(not shown here\), and should be 32 bytes in base64[^\n]+\n$/,
  );
  expect(ran.stderr).not.toContain('c2VjcmV0');
});

it('webhooks are signed with the same secret before and after', async () => {
  const partner = await aPartner(bed);
  const intent = await anIntent(bed, partner, { status: 'captured' });
  const { rows } = await bed.database.query<{ readonly event_id: string }>({
    text: `select event_id from webhook_events where intent_id = $1`,
    values: [intent.intentId],
  });
  const eventId = parseEventId(rows[0]?.event_id ?? '') ?? anEventId();
  await reseal();
  for (const seal of [oldThenNew, newAlone]) {
    const store = createWebhookStore(bed.database, seal);
    const event = await claimed(store, eventId);
    expect(event.secrets).toEqual([partner.webhook_secret]);
    await finish(store, event);
    await makeDue({ database: bed.database, webhooks: store }, eventId);
  }
});
