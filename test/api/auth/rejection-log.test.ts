// Protocol 8.3: the body of a 401 is generic. The log has the true reason with request id, key id
// and partner, but never a secret, token or signature.
import { bearer, pathOf, type Reply } from '../../support/app';
import { withApi, withApp, withPartner } from '../../support/brackets';
import { aPartner, mintToken, sign, type TestPartner } from '../../support/payments/partner';

const { bed, app, partner, intent } = withApi();
const elsewhere = withPartner(bed, { allow: ['203.0.113.0/24'] });
let path: string;
beforeAll(() => {
  path = pathOf(intent);
});

/** The log line of the request that got this reply. */
function lineOf(reply: Reply): unknown {
  const requestId = String(reply.headers['x-request-id']);
  const lines = app.lines.filter((line) => line.includes(requestId));
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? 'null');
}

const signedGet = (who: Pick<TestPartner, 'key_id' | 'signing_secret'>) =>
  app.send({ path, headers: sign(who, { method: 'GET', path }) });
const tokenGet = (token: string) => app.get(intent, token);

it('a rejected signature is logged with its reason, key and partner', async () => {
  const reply = await signedGet({ ...partner, signing_secret: 'wrong' });
  expect(lineOf(reply)).toMatchObject({
    status: 401,
    credentials: 'signed_request',
    key_id: partner.key_id,
    partner_id: partner.partnerId,
    rejection: 'signature_wrong',
  });
});

describe('the address that a rejected signed request came from is logged', () => {
  it('with the socket as where it was found', async () => {
    const reply = await signedGet({ ...partner, signing_secret: 'wrong' });
    expect(lineOf(reply)).toMatchObject({ seen_from: 'socket: 127.0.0.1' });
  });

  it('also if the address itself is rejected', async () => {
    const line = lineOf(await signedGet(elsewhere));
    expect(line).toMatchObject({
      rejection: 'source_address_not_registered',
      ...{ seen_from: 'socket: 127.0.0.1', partner_id: elsewhere.partnerId },
    });
  });

  it('also if it was removed since the API read the list', async () => {
    const moved = await aPartner(bed, { allow: ['127.0.0.1'] });
    await signedGet(moved);
    const text = 'delete from partner_addresses where partner_id = $1';
    await bed.database.query({ text, values: [moved.partnerId] });
    expect(lineOf(await signedGet(moved))).toMatchObject({
      ...{ rejection: 'address_withdrawn', seen_from: 'socket: 127.0.0.1' },
    });
  });

  it('but not that of a payer, nor of an accepted request', async () => {
    const lines = [
      lineOf(await tokenGet('a.b.c')),
      lineOf(await app.send({ path })),
      lineOf(await app.send({ method: 'POST', path: `${path}/cancel`, headers: bearer('a.b.c') })),
      lineOf(await signedGet(partner)),
    ];
    for (const line of lines) expect(line).not.toHaveProperty('seen_from');
  });
});

describe('behind two proxies of ours', () => {
  const behind = withApp(bed, () => ({ settings: { trustedProxyHops: 2 } }));
  it.each([
    ['192.0.2.9, 203.0.113.7, 10.0.0.1', 'forwarded 2: 203.0.113.7'],
    ['unknown, 10.0.0.1', 'forwarded 2: none'],
  ])('of "%s" the log has %s', async (text, seen_from) => {
    const headers = { ...sign(partner, { method: 'GET', path }), 'X-Forwarded-For': text };
    const reply = await behind.send({ path, headers });
    const line = behind.lines.find((one) => one.includes(String(reply.headers['x-request-id'])));
    expect(JSON.parse(line ?? '')).toMatchObject({ status: 401, seen_from });
  });
});

it('an unknown key id in our format is logged', async () => {
  const reply = await signedGet({ key_id: 'acme_sandbox_2026q1', signing_secret: 'x' });
  expect(lineOf(reply)).toMatchObject({ key_id: 'acme_sandbox_2026q1', rejection: 'key_unknown' });
});

it('a secret that was sent as the key id is not logged', async () => {
  const reply = await signedGet({ key_id: partner.signing_secret, signing_secret: 'x' });
  expect(lineOf(reply)).toMatchObject({ rejection: 'key_unknown' });
  expect(app.lines.join()).not.toContain(partner.signing_secret);
});

it('a rejected token is logged with its reason, partner and intent', async () => {
  const reply = await tokenGet(mintToken(partner, intent, { aud: 'elsewhere' }));
  expect(lineOf(reply)).toMatchObject({
    status: 401,
    credentials: 'session_token',
    partner_id: partner.partnerId,
    intent_id: intent.intentId,
    rejection: 'aud_wrong',
  });
});

it('an accepted request is logged with its key and partner, and without a rejection', async () => {
  const line = lineOf(await signedGet(partner));
  expect(line).toMatchObject({
    status: 200,
    key_id: partner.key_id,
    partner_id: partner.partnerId,
  });
  expect(line).not.toHaveProperty('rejection');
});

it('a create is logged with its intent, so that the request id leads to the payment', async () => {
  const reply = await app.create(partner);
  const { intent_id } = JSON.parse(reply.text) as { readonly intent_id: string };
  expect(lineOf(reply)).toMatchObject({ status: 201, intent_id });
});

it('no log line contains a secret, token, signature or nonce', async () => {
  const token = mintToken(partner, intent);
  const headers = sign(partner, { method: 'GET', path });
  const sent = [
    await app.send({ path, headers }),
    await app.send({ path, headers }),
    await app.send({ path, headers: { ...headers, ...bearer(token) } }),
    await tokenGet(token),
    await tokenGet(`${token}x`),
    await app.confirm(intent, token),
    await app.confirm(intent, token),
    await app.send({ path: `/${token}?token=${token}` }),
  ];
  expect(sent.map(({ status }) => status)).toEqual([200, 401, 401, 200, 401, 200, 401, 404]);
  const log = app.lines.join('\n');
  const [, claims = '', signature = ''] = token.split('.');
  const secrets = [
    partner.signing_secret,
    headers['X-Service-Signature'] ?? '-',
    headers['X-Service-Nonce'] ?? '-',
    ...[token, claims, signature],
  ];
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
});
