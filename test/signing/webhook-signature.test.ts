// Decision 18: Standard Webhooks, with the `standardwebhooks` package as oracle.
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { signWebhook, webhookSignatureHeader } from '../../src/signing/webhook-signature';
import { readVectors } from './vectors';

const aSecret = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((key) => `whsec_${Buffer.from(key).toString('base64')}`);

describe('the webhook signature', () => {
  it.each(readVectors().webhooks)('is the published one: $name', (vector) => {
    expect(signWebhook(vector, vector.secret)).toBe(vector.signature);
  });

  it('equals that of the standardwebhooks package', () => {
    const timestamps = fc.integer({ min: 0, max: 4_102_444_800 });
    fc.assert(
      fc.property(aSecret, fc.string(), timestamps, (secret, body, seconds) => {
        const ours = signWebhook({ id: 'evt_1', timestamp: String(seconds), body }, secret);
        expect(ours).toBe(new Webhook(secret).sign('evt_1', new Date(seconds * 1_000), body));
      }),
    );
  });

  it('is the same for a body of text and for its bytes', () => {
    const [vector] = readVectors().webhooks;
    const message = { id: 'evt_1', timestamp: '1', body: 'đồng' };
    const secret = vector?.secret ?? '';
    const ofBytes = signWebhook({ ...message, body: Buffer.from('đồng') }, secret);
    expect(ofBytes).toBe(signWebhook(message, secret));
  });

  it('stands once per secret in the header, separated by blanks', () => {
    const message = { id: 'evt_1', timestamp: '1', body: '{}' };
    const secrets = readVectors().webhooks.map(({ secret }) => secret);
    const signatures = secrets.map((secret) => signWebhook(message, secret));
    expect(webhookSignatureHeader(message, secrets)).toBe(signatures.join(' '));
  });

  it.each(['', 'whsec_', 'c2VjcmV0c2VjcmV0', 'whsec_not base64!', 'whsec_c2VjcmV0c2Vjcm'])(
    'refuses the secret %j without repeating it',
    (secret) => {
      const sign = () => signWebhook({ id: 'evt_1', timestamp: '1', body: '{}' }, secret);
      expect(sign).toThrow('A webhook secret is `whsec_` followed by the key in base64.');
    },
  );
});
