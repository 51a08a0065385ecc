// The attacks by way of a partner's key-set address, and floods of unknown key ids (spec, "Partner key-set endpoint";
// decision 110); and how old an attestation may be (decision 9).
import type { RequestListener, ServerResponse } from 'node:http';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import type { TestApp } from '../support/app';
import { anIntent, times } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { mintToken, type TestPartner } from '../support/partner';
import { aServedPartner, expectRefusal, getWith, inTokenWorld, keySetPath } from './token-world';

const world = inTokenWorld();
let app: TestApp;
let partner: TestPartner;
let other: TestPartner;
let intent: PaymentIntent;
beforeEach(() => {
  ({ app, partner, other, intent } = world);
});

const { published } = world;
const get = (token: string) => getWith(world, token);
const expectRefused = (token: string, reason: string) => expectRefusal(world, token, reason);

describe('a key-set address', () => {
  /** The answer to the attack, then to a good token once the address serves again. */
  async function expectRefusedThenTaken(attack: RequestListener): Promise<void> {
    world.behaviour = attack;
    await expectRefused(mintToken(partner, intent), 'kid_unknown');
    expect(world.fetched.every((path) => path === keySetPath(partner.partnerId))).toBe(true);
    world.behaviour = undefined;
    expect(await get(mintToken(partner, intent))).toMatchObject({ status: 200 });
  }

  it('that redirects is not followed', async () => {
    await expectRefusedThenTaken((_, response) => {
      response.writeHead(302, { Location: `${world.keyServerUrl}${keySetPath('attacker')}` }).end();
    });
  });

  it('that hangs is given up, and keeps nobody else waiting', async () => {
    const hanging: ServerResponse[] = [];
    world.behaviour = (_, response) => hanging.push(response);
    const waiting = get(mintToken(partner, intent));
    expect(await app.sendSigned(partner, { path: `/v1/payment_intents/x` })).toMatchObject({
      status: 404,
    });
    expect(await waiting).toMatchObject({ status: 401 });
    hanging.forEach((response) => response.destroy());
  });

  it('that answers 5 MB is not read to its end', async () => {
    await expectRefusedThenTaken((_, response) => {
      response.on('error', () => undefined).end(' '.repeat(5_000_000));
    });
  });

  it('that answers an empty set', async () => {
    await expectRefusedThenTaken((_, response) => response.end('{"keys":[]}'));
  });

  it.each(['', 'null', '[]', '{}', '{"keys":{}}', 'not json', '{"keys":[null,1,"x",[]]}'])(
    'that answers %s',
    async (text) => {
      await expectRefusedThenTaken((_, response) => response.end(text));
    },
  );
});

describe('a flood of a thousand unknown kids', () => {
  it('costs the partner a handful of fetches, and leaves its good keys and other partners working', async () => {
    expect(await get(mintToken(partner, intent))).toMatchObject({ status: 200 });
    const flood = times(1_000, (index) =>
      get(mintToken(partner, intent, {}, { kid: `kid-${String(index)}` })),
    );
    expect(await get(mintToken(partner, intent))).toMatchObject({ status: 200 });
    expect(new Set((await flood).map(({ status }) => status))).toEqual(new Set([401]));
    expect(await get(mintToken(partner, intent))).toMatchObject({ status: 200 });
    expect(world.fetched.length).toBeLessThanOrEqual(11);
    expect(app.keySetUses.filter((outcome) => outcome === 'throttled').length).toBeGreaterThan(900);
    expect(await get(mintToken(other, intent))).toMatchObject({ status: 401 });
    expect(app.refusals.at(-1)).toBe('issuer_of_another_partner');
  });
});

describe('the age of attestations that a partner may limit', () => {
  it.each([
    ['kyc', 3_600, 3_600, 200],
    ['kyc', 3_600, 3_601, 401],
    ['sanctions', 60, 60, 200],
    ['sanctions', 60, 61, 401],
  ])('%s: at most %d s, of %d s, answers %d', async (kind, maxAge, age, status) => {
    const limited = await aServedPartner(world, `limited-${kind}-${String(age)}`);
    published.set(keySetPath(limited.partnerId), limited.jwks.keys);
    await world.bed.database.query({
      text: `update partners set ${kind}_max_age_seconds = $2 where partner_id = $1`,
      values: [limited.partnerId, maxAge],
    });
    const at = secondsAfter(NOON, -age).toISOString();
    world.intent = await anIntent(world.bed, limited);
    const token = mintToken(limited, world.intent, {
      'service:kyc_attestation': { verified: true, method: 'document', verified_at: at },
      'service:sanctions_attestation': { clean: true, screened_at: at },
    });
    expect(await get(token)).toMatchObject({ status });
  });
});
