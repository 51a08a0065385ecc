// Protocol 3: the API accepts or rejects every published request as its note says, and rejects the
// signature of every published mistake.
import type { Outgoing, Reply } from '../../support/app';
import { withApi } from '../../support/brackets';
import { aPartner, type TestPartner } from '../../support/payments/partner';
import { readVectors, requestNamed, type RequestVector } from '../../signing/vectors';

const { requests, not_equal: mistakes } = readVectors();

const { bed, app } = withApi();
beforeAll(async () => {
  const secrets = new Map(requests.map(({ key_id: keyId, secret }) => [keyId, secret]));
  for (const [keyId, secret] of secrets) await register(await aPartner(bed), keyId, secret);
});
beforeEach(async () => {
  await bed.setNow(new Date(requestNamed('create').timestamp));
  // The vectors share one nonce, so each test starts without stored nonces.
  await bed.database.query({ text: 'truncate request_nonces' });
});

/**
 * Registers the published example's key, whose id has not the form that `payctl` issues (decision
 * 13).
 */
async function register(partner: TestPartner, keyId: string, secret: string): Promise<void> {
  await bed.database.query({
    text: `insert into signing_keys (key_id, partner_id, environment, secret_sealed, slot)
           values ($1, $2, 'sandbox', $3, 2)`,
    values: [keyId, partner.partnerId, bed.seal.seal(secret, keyId)],
  });
}

function send(vector: RequestVector, change: Partial<Outgoing> = {}): Promise<Reply> {
  return app.send({
    method: vector.method,
    path: vector.path,
    headers: {
      'Content-Type': 'application/json',
      'X-Service-Key-Id': vector.key_id,
      'X-Service-Timestamp': vector.timestamp,
      'X-Service-Nonce': vector.nonce,
      'X-Service-Signature': vector.signature,
    },
    ...(vector.body !== '' && { body: vector.body }),
    ...change,
  });
}

describe('the published example of a signed request', () => {
  const example = requestNamed('specification-example');

  it('is of the key test_key_001, and its nonce has 32 characters', () => {
    expect(example).toMatchObject({ method: 'POST', path: '/v1/payment_intents' });
    expect([example.key_id, example.nonce.length]).toEqual(['test_key_001', 32]);
  });

  it('has a valid signature, and is rejected only for its nonce', async () => {
    expect(await send(example)).toMatchObject({ status: 401 });
    expect(app.rejections).toEqual(['nonce_malformed']);
  });

  it('is accepted with a nonce of 64 characters', async () => {
    const accepted = requestNamed('specification-example-accepted');
    const { key_id: keyId, secret, timestamp, body } = example;
    expect(accepted).toMatchObject({ key_id: keyId, secret, timestamp, body });
    expect(accepted.nonce).toMatch(/^[0-9a-f]{64}$/);
    const reply = await send(accepted);
    expect(reply.status).toBe(201);
    expect(JSON.parse(reply.text)).toMatchObject({ amount_usd_cents: 1_250, corridor: 'th_qrpay' });
  });
});

describe('a request of the vectors', () => {
  const accepted = requests.filter(({ nonce }) => nonce.length === 64);

  it.each(accepted.map((vector) => [vector.name, vector] as const))(
    '%s is authenticated, once',
    async (_name, vector) => {
      const status = vector.body.includes('partner_user_id') ? 201 : 404;
      const replies = [await send(vector), await send(vector)];
      expect(replies.map((reply) => reply.status)).toEqual([status, 401]);
    },
  );

  it('query-string-left-out is the same request with any query string', async () => {
    const vector = requestNamed('query-string-left-out');
    expect(await send(vector, { path: `${vector.path}?view=full` })).toMatchObject({ status: 404 });
  });
});

describe('the signature of a mistake', () => {
  it.each(mistakes.map((mistake) => [mistake.name, mistake] as const))(
    '%s is rejected',
    async (_name, { of, signature }) => {
      const vector = requestNamed(of);
      const reply = await send({ ...vector, signature });
      expect([reply.status, app.rejections]).toEqual([401, ['signature_wrong']]);
    },
  );
});
