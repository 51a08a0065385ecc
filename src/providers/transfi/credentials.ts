// TransFi's credentials, as one line of JSON: `{"username","password","mid","webhook_secret"}`.
import { z } from 'zod';
import { strictJsonIn } from '../exchange';

interface Credentials {
  /** The headers of each request. */
  readonly headers: Readonly<Record<'authorization' | 'mid', string>>;
  /** The key of a callback's HMAC. */
  readonly webhookSecret: string;
}

const printable = z.string().regex(/^[ -~]+$/);
const credentialsSchema = z.object({
  // RFC 7617: a colon ends the user name.
  username: printable.refine((name) => !name.includes(':')),
  ...{ password: printable, mid: printable, webhook_secret: printable },
});

/** @throws Error that names the missing or malformed members, and no value */
export function readCredentials(token: string): Credentials {
  const { data, error } = credentialsSchema.safeParse(strictJsonIn(Buffer.from(token)));
  if (data === undefined) {
    const names = new Set(error.issues.map(({ path }) => path.join('.')));
    const form = 'Expected one JSON object with a printable text for each of username, password,';
    const faults = [...names].filter(Boolean).join(', ') || 'the object itself';
    throw new Error(
      `The TransFi credentials lack ${faults}. ${form} mid and webhook_secret; the user name has no colon.`,
    );
  }
  const basic = Buffer.from(`${data.username}:${data.password}`).toString('base64');
  const headers = { authorization: `Basic ${basic}`, mid: data.mid };
  return { headers, webhookSecret: data.webhook_secret };
}
