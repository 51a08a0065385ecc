// Protocol 3.4: every step fails alone and in pairs. Of a pair the earlier step is the logged
// reason.
import { createHmac } from 'node:crypto';
import { DUMMY_SECRET } from '../../../api/auth/dummy-credentials';
import { pathOf, startApp } from '../../support/app';
import { prepared, withApi } from '../../support/brackets';
import { aNonce, anIntent } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { aPartner, sign, type TestPartner } from '../../support/payments/partner';

const ELSEWHERE = ['203.0.113.0/24', '2001:db8::/32'];

const { bed, app, partner: here, other, intent } = withApi();
/** Partners with or without a registered address, with an active or a revoked key. */
const partners: Readonly<Record<string, TestPartner>> = prepared(bed, async () => ({
  here,
  elsewhere: await aPartner(bed, { allow: ELSEWHERE }),
  hereRevoked: await aPartner(bed),
  elsewhereRevoked: await aPartner(bed, { allow: ELSEWHERE }),
}));
let path: string;
beforeAll(async () => {
  for (const name of ['hereRevoked', 'elsewhereRevoked']) await revoke(who(name));
  path = pathOf(intent);
});

async function revoke({ key_id }: TestPartner): Promise<void> {
  await bed.database.query({
    text: `update signing_keys set revoked_at = service_now() where key_id = $1`,
    values: [key_id],
  });
}

function who(name: string): TestPartner {
  const partner = partners[name];
  if (partner === undefined) throw new Error(`no partner ${name}`);
  return partner;
}

const STEPS = {
  1: 'source_address_not_registered',
  2: 'key_revoked',
  3: 'timestamp_not_within_5_minutes',
  4: 'nonce_malformed',
  5: 'signature_wrong',
} as const;
type Step = keyof typeof STEPS;

/** Sends a GET that fails exactly the given steps. */
function getFailing(...steps: readonly Step[]) {
  const fails = (step: Step) => steps.includes(step);
  const name = `${fails(1) ? 'elsewhere' : 'here'}${fails(2) ? 'Revoked' : ''}`;
  const partner = fails(5) ? { ...who(name), signing_secret: 'another' } : who(name);
  const headers = sign(partner, {
    method: 'GET',
    path,
    ...(fails(3) && { timestamp: secondsAfter(NOON, -301).toISOString() }),
    ...(fails(4) && { nonce: 'not a nonce' }),
  });
  return app.send({ path, headers });
}

const ALL = [1, 2, 3, 4, 5] as const;
const PAIRS = ALL.flatMap((one) =>
  ALL.filter((two) => two > one).map((two) => [one, two] as const),
);

it('a request that passes all five steps is accepted', async () => {
  expect(await getFailing()).toMatchObject({ status: 200 });
});

it.each(ALL)('step %d fails alone', async (step) => {
  expect(await getFailing(step)).toMatchObject({ status: 401 });
  expect(app.rejections).toEqual([STEPS[step]]);
});

it.each(PAIRS)('step %d is the reason when step %d fails too', async (one, two) => {
  expect(await getFailing(one, two)).toMatchObject({ status: 401 });
  expect(app.rejections).toEqual([STEPS[one]]);
});

it('step 1 is the reason when all five steps fail', async () => {
  await getFailing(...ALL);
  expect(app.rejections).toEqual([STEPS[1]]);
});

describe('step 2: the key exists, is active and is not revoked', () => {
  it('an unknown key has no list of addresses, so the key is the reason', async () => {
    const unknown = { key_id: 'nobody_sandbox_2026q1', signing_secret: 'x' };
    await app.send({ path, headers: sign(unknown, { method: 'GET', path }) });
    expect(app.rejections).toEqual(['key_unknown']);
  });

  it.each([
    [-1, 401],
    [0, 401],
    [0.001, 200],
    [1, 200],
  ])('a key that expires in %d s answers %d', async (seconds, status) => {
    const partner = await aPartner(bed);
    await bed.database.query({
      text: `update signing_keys set revokes_at = $2 where key_id = $1`,
      values: [partner.key_id, secondsAfter(NOON, seconds)],
    });
    const reply = await app.sendSigned(partner, { path: `${path}x` });
    // With valid credentials the malformed intent id is the next error.
    expect(reply.status).toBe(status === 200 ? 404 : 401);
  });

  it('a sandbox key is rejected in production, and a production key in the sandbox', async () => {
    const production = await startApp(bed, { environment: 'prod' });
    const live = await aPartner(bed, { env: 'prod' });
    const nowhere = { path: pathOf({ intentId: 'pi_00000000000000000000000000' }) };
    const sent = [
      await production.sendSigned(live, nowhere),
      await production.sendSigned(here, nowhere),
      await app.sendSigned(live, nowhere),
    ];
    await production.close();
    expect(sent.map(({ status }) => status)).toEqual([404, 401, 401]);
    expect([production.rejections, app.rejections]).toEqual([['key_unknown'], ['key_unknown']]);
  });
});

describe('step 4: the nonce was not seen from this partner', () => {
  it('two partners may use the same nonce, each once', async () => {
    const callers = [
      { partner: here, path },
      { partner: other, path: pathOf(await anIntent(bed, other)) },
    ];
    const nonce = aNonce();
    const send = async () => {
      const statuses: number[] = [];
      for (const { partner, path } of callers) {
        const headers = sign(partner, { method: 'GET', path, nonce });
        statuses.push((await app.send({ path, headers })).status);
      }
      return statuses;
    };
    expect(await send()).toEqual([200, 200]);
    expect(await send()).toEqual([401, 401]);
    expect(app.rejections).toEqual(['nonce_seen', 'nonce_seen']);
  });
});

describe('the dummy secret', () => {
  it('authenticates no unknown and no revoked key', async () => {
    for (const key_id of ['nobody', who('hereRevoked').key_id]) {
      const headers = sign({ key_id, signing_secret: DUMMY_SECRET }, { method: 'GET', path });
      expect(await app.send({ path, headers })).toMatchObject({ status: 401 });
    }
    expect(app.rejections).toEqual(['key_unknown', 'key_revoked']);
  });
});

describe('step 5: the signature covers the digest of the body', () => {
  it('a signature over the body itself is rejected', async () => {
    const body = '{}';
    const headers = sign(here, { method: 'GET', path, body });
    const naive = createHmac('sha256', here.signing_secret)
      .update(['GET', path, NOON.toISOString(), headers['X-Service-Nonce'], body].join('\n'))
      .digest('base64');
    const reply = await app.send({
      path,
      body,
      headers: { ...headers, 'X-Service-Signature': naive },
    });
    expect(reply.status).toBe(401);
  });
});
