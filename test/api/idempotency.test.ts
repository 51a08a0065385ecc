// Spec, "POST /v1/payment_intents": "Replaying the exact same request with the same key returns the original response";
// decision 14.
import { parseIntentId } from '../../src/domain/ids';
import { withApi } from '../support/brackets';
import { countOf, times } from '../support/builders';
import type { Outgoing, Reply } from '../support/app';

const PATH = '/v1/payment_intents';
const GOOD = { partner_user_id: 'user-4711', amount_usd_cents: 1_250, corridor: 'th_qrpay' };
const JSON_HEADER = { 'Content-Type': 'application/json' };

const { bed, app, partner } = withApi({ poolSize: 16 });

const post = (body: string | Buffer, headers: Outgoing['headers'] = {}, who = partner) =>
  app.sendSigned(who, {
    method: 'POST',
    path: PATH,
    body,
    headers: { ...JSON_HEADER, ...headers },
  });
const postJson = (body: unknown, headers: Outgoing['headers'] = {}) =>
  post(JSON.stringify(body), headers);
const intentsIn = () => countOf(bed, 'select count(*) from payment_intents');
const idOf = (reply: Reply) => {
  const id = parseIntentId((JSON.parse(reply.text) as { readonly intent_id: string }).intent_id);
  if (id === undefined) throw new Error(`no intent id in ${reply.text}`);
  return id;
};

function expectInvalid(reply: Reply, message?: string): void {
  expect(reply).toMatchObject({ status: 400 });
  const body = JSON.parse(reply.text) as { readonly message: string };
  expect(body).toEqual({ error: 'validation_failed', message: message ?? body.message });
}

describe('Idempotency-Key', () => {
  it('replays the original response byte for byte, and says so', async () => {
    const first = await postJson(GOOD, { 'Idempotency-Key': 'order-1' });
    await bed.intents.transition({
      intentId: idOf(first),
      from: 'created',
      event: 'cancel',
      actor: 'partner',
    });
    const again = await postJson(GOOD, { 'Idempotency-Key': 'order-1' });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(app.begun.filter(({ intentId }) => intentId === idOf(first))).toHaveLength(1);
  });

  it('of twenty parallel creates makes one intent, and all get its bytes', async () => {
    const before = await intentsIn();
    const replies = await times(20, () => postJson(GOOD, { 'Idempotency-Key': 'order-2' }));
    expect(new Set(replies.map(({ status, text }) => `${String(status)} ${text}`)).size).toBe(1);
    const originals = replies.filter(({ headers }) => !('idempotent-replayed' in headers));
    expect(originals).toHaveLength(1);
    expect(await intentsIn()).toBe(before + 1);
  });

  it('with other body bytes is 400, even if they mean the same', async () => {
    await postJson(GOOD, { 'Idempotency-Key': 'order-3' });
    const spaced = await post(JSON.stringify(GOOD, null, 1), { 'Idempotency-Key': 'order-3' });
    expectInvalid(spaced, 'Idempotency-Key was used with another body.');
  });

  it('of a refused request is not remembered', async () => {
    expectInvalid(await post('nonsense', { 'Idempotency-Key': 'order-4' }));
    expect(await postJson(GOOD, { 'Idempotency-Key': 'order-4' })).toMatchObject({ status: 201 });
  });

  it.each(['k', 'k'.repeat(256), 'a key with blanks ~!'])('may be "%s"', async (key) => {
    expect(await postJson(GOOD, { 'Idempotency-Key': key })).toMatchObject({ status: 201 });
  });

  it.each(['', 'k'.repeat(257), 'clé', 'a\tb'])('may not be "%s"', async (key) => {
    expectInvalid(await postJson(GOOD, { 'Idempotency-Key': key }));
  });

  it('may not be given twice', async () => {
    expectInvalid(await postJson(GOOD, { 'Idempotency-Key': ['one', 'two'] }));
  });
});
