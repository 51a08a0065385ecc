// Checks the guide's webhook programs: each accepts only signed and fresh webhooks (decision 18).
import { createHmac } from 'node:crypto';
import { systemNow } from '../../src/sdk/clock';
import { signWebhook, type WebhookMessage } from '../../src/signing/webhook-signature';
import { readVectors } from '../signing/vectors';
import { compile, demand, programOf, type Program, type Workplace } from './workplace';

export const WEBHOOK_PROGRAMS: readonly Program[] = [
  'verify_webhook.py',
  'verify_webhook.go',
  'VerifyWebhook.java',
  'verify-webhook.sh',
].map(programOf);

const [VECTOR, SECOND] = readVectors().webhooks;
const SECRET = VECTOR?.secret ?? '';
const OTHER_SECRET = SECOND?.secret ?? '';
const BODY = VECTOR?.body ?? '';

interface Delivery {
  readonly name: string;
  readonly isGenuine: boolean;
  readonly message: WebhookMessage & { readonly body: string };
  readonly signatures: string;
  /** That of the receiver. */
  readonly secret: string;
}

/** @throws Error that names the delivery that was wrongly accepted or rejected */
export async function checkWebhooks(place: Workplace, program: Program): Promise<void> {
  await compile(place, program);
  for (const delivery of deliveries()) await checkDelivery(place, program, delivery);
}

function deliveries(): readonly Delivery[] {
  const now = Math.floor(systemNow().getTime() / 1_000);
  const at = (timestamp: number | string) => {
    return { id: 'evt_00000000000000000000000000', timestamp: String(timestamp), body: BODY };
  };
  const fresh = at(now);
  const right = signWebhook(fresh, SECRET);
  const genuine = { isGenuine: true, message: fresh, signatures: right, secret: SECRET };
  // Anyone can make this signature.
  const keyless = createHmac('sha256', '').update(`${fresh.id}.${fresh.timestamp}.${BODY}`);
  const unset = { signatures: `v1,${keyless.digest('base64')}` };
  const stale = (seconds: number) => {
    return { message: at(now + seconds), signatures: signWebhook(at(now + seconds), SECRET) };
  };
  const rejected = (name: string, rest: Partial<Delivery>) => {
    return { ...genuine, name, isGenuine: false, ...rest };
  };
  const accepted = (name: string, signatures: string) => {
    return { ...genuine, name, signatures };
  };
  const other = signWebhook(fresh, OTHER_SECRET);
  return [
    accepted('one signature', right),
    accepted('the second of two signatures', `${other} ${right}`),
    accepted('a signature behind one of another scheme', `v1a,xxxx ${right}`),
    rejected('another secret', { signatures: other }),
    rejected('another body', { message: { ...fresh, body: BODY.replace('1250', '9250') } }),
    rejected('another id', { message: { ...fresh, id: 'evt_1' } }),
    rejected('six minutes ago', stale(-360)),
    rejected('six minutes ahead', stale(360)),
    rejected('no timestamp', { message: at('soon'), signatures: signWebhook(at('soon'), SECRET) }),
    rejected('no signature', { signatures: '' }),
    rejected('the empty key, where the secret is empty', { ...unset, secret: '' }),
    rejected('the empty key, where the secret is only its prefix', { ...unset, secret: 'whsec_' }),
  ];
}

async function checkDelivery(
  place: Workplace,
  program: Program,
  { name, isGenuine, message, signatures, secret }: Delivery,
): Promise<void> {
  const ran = await place.run(program.compiled, {
    settings: {
      WEBHOOK_ID: message.id,
      WEBHOOK_TIMESTAMP: message.timestamp,
      WEBHOOK_SIGNATURE: signatures,
      WEBHOOK_SECRET: secret,
    },
    input: message.body,
  });
  const wasAccepted = ran.code === 0 && ran.stdout.includes('payment_intent.captured');
  // A receiver without a usable secret may as well stop with an error of its own.
  const isTold = secret !== SECRET || ran.stderr.startsWith('refused:');
  const wasRejected = ran.code !== 0 && ran.stdout === '' && isTold;
  const verb = isGenuine ? 'does not accept' : 'does not reject';
  demand(
    isGenuine ? wasAccepted : wasRejected,
    `${program.file} ${verb} a webhook with ${name}`,
    ran,
  );
}
