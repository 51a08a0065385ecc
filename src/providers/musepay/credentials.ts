// Reads the credentials of an account at MusePay from a setting: a JSON object on one line.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { ConfigError } from '../../domain/errors';
import { jsonTextsIn } from '../exchange';

const rsaKey = (label: RegExp, read: (pem: string) => KeyObject) =>
  z.string().transform((pem, context) => {
    try {
      const key = label.test(pem) ? read(pem) : undefined;
      if (key?.asymmetricKeyType === 'rsa') return key;
    } catch {
      // No part of the key may reach a message.
    }
    context.addIssue({ code: 'custom' });
    return z.NEVER;
  });

const schema = z.object({
  partner_id: z.string().regex(/^[\x21-\x7e]{1,64}$/),
  private_key: rsaKey(/^-----BEGIN (RSA )?PRIVATE KEY-----/, createPrivateKey),
  // Node would also read the public half of a private key.
  provider_public_key: rsaKey(/^-----BEGIN (RSA )?PUBLIC KEY-----/, createPublicKey),
  notify_url: z.url({ protocol: /^https$/ }),
});

export type Credentials = z.infer<typeof schema>;

/** @throws ConfigError that names the members that are missing or wrong, without any value */
export function readCredentials(text: string): Credentials {
  const anObject = z.looseObject({}).catch({});
  const read = anObject.pipe(schema).safeParse(jsonTextsIn(Buffer.from(text)));
  if (read.success) return read.data;
  const wrong = [...new Set(read.error.issues.map(({ path }) => String(path[0])))].join(', ');
  throw new ConfigError(`MusePay: missing or wrong ${wrong}. See docs/providers/musepay.md.`);
}
