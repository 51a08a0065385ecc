// Decision 18: Standard Webhooks signatures. webhook-oracle.test.ts compares them with another
// library.
import { signWebhook } from '../../src/signing/webhook-signature';
import { readVectors } from './vectors';

describe('the webhook signature', () => {
  it.each(readVectors().webhooks)('is the published one: $name', (vector) => {
    expect(signWebhook(vector, vector.secret)).toBe(vector.signature);
  });

  it.each(['', 'whsec_', 'c2VjcmV0c2VjcmV0', 'whsec_not base64!', 'whsec_c2VjcmV0c2Vjcm'])(
    'rejects the secret %j without repeating it',
    (secret) => {
      const sign = () => signWebhook({ id: 'evt_1', timestamp: '1', body: '{}' }, secret);
      expect(sign).toThrow('A webhook secret is `whsec_` followed by the key in base64.');
    },
  );
});
