// Checks of a partner's own webhook receiver (protocol 7): it accepts what the service may send,
// and rejects everything else. Its events are harmless: they report that an intent of no partner
// was cancelled, or have a type that no receiver knows.
import { signCanonicalRequest } from '../../signing/hmac';
import { signWebhook, webhookSignatureHeader } from '../../signing/webhook-signature';
import type { Check, Finding } from './check';
import { describe, type Answer, type Send } from './exchange';
import { anEvent, newEventId, type Message } from './webhook-events';

export interface Receiver {
  readonly url: string;
  readonly secret: string;
  readonly send: Send;
}

const OTHER_SECRET = `whsec_${Buffer.from('another secret of 32 characters.').toString('base64')}`;
const TEN_MINUTES_SECONDS = 600;
const EITHER =
  'While a secret rotates, webhook-signature has two signatures with a space between: accept either.';

export function receiverChecks(receiver: Receiver): readonly Check[] {
  return [...acceptanceChecks(receiver), ...rejectionChecks(receiver)];
}

function acceptanceChecks(receiver: Receiver): readonly Check[] {
  const first = anEvent();
  const accepts = (
    name: string,
    advice: string,
    { message = anEvent(), secrets = [receiver.secret] }: Sent = {},
  ): Check => ({
    name,
    async run() {
      const signature = webhookSignatureHeader(message, secrets);
      return acceptedFinding(await postSigned(receiver, message, signature), advice);
    },
  });
  return [
    accepts(
      'It accepts a genuine event.',
      'Verify the raw bytes, before any parser, with WEBHOOK_SECRET, and answer 2xx within 15 s.',
      { message: first },
    ),
    accepts(
      'It accepts the same event again.',
      'An event may come twice: answer 2xx, and act once per webhook-id.',
      { message: first },
    ),
    accepts(
      'It accepts JSON that is spaced in another way.',
      'It verifies a body that was parsed and serialized again: take the raw bytes.',
      { message: anEvent({ spaces: 1 }) },
    ),
    accepts('It accepts the first of two signatures.', EITHER, {
      secrets: [receiver.secret, OTHER_SECRET],
    }),
    accepts('It accepts the second of two signatures.', EITHER, {
      secrets: [OTHER_SECRET, receiver.secret],
    }),
    accepts(
      'It accepts an event of an unknown type.',
      'Answer 2xx to a type that you do not know: a later revision adds some.',
      { message: anEvent({ type: 'payment_intent.conformance' }) },
    ),
  ];
}

interface Sent {
  readonly message?: Message;
  readonly secrets?: readonly string[];
}

function rejectionChecks(receiver: Receiver): readonly Check[] {
  const rejects = (name: string, mistake: string, sent: () => Promise<Answer>): Check => ({
    name,
    run: async () => rejectedFinding(await sent(), mistake),
  });
  /** Signs one message, and sends it with this change. */
  const changed = (change: Partial<Message>, secret = receiver.secret) => {
    const message = anEvent();
    return postSigned(receiver, { ...message, ...change }, signWebhook(message, secret));
  };
  const shifted = (shiftSeconds: number) => {
    const message = anEvent({ shiftSeconds });
    return postSigned(receiver, message, signWebhook(message, receiver.secret));
  };
  const noTime = 'It does not compare webhook-timestamp with its clock, or its clock is wrong.';
  return [
    rejects('It rejects another secret.', 'It does not compare the signature.', () =>
      changed({}, OTHER_SECRET),
    ),
    rejects('It rejects the empty secret.', 'One of its secrets is empty.', () => {
      const message = anEvent();
      return postSigned(receiver, message, signatureByNobody(message));
    }),
    rejects('It rejects a body that was changed.', 'It does not verify the body.', () =>
      changed({ body: anEvent().body }),
    ),
    rejects('It rejects an id that was changed.', 'It does not verify webhook-id.', () =>
      changed({ id: newEventId() }),
    ),
    rejects('It rejects an event of ten minutes ago.', noTime, () => shifted(-TEN_MINUTES_SECONDS)),
    rejects('It rejects an event ten minutes ahead.', noTime, () => shifted(TEN_MINUTES_SECONDS)),
    rejects('It rejects an event without a signature.', 'It needs no signature.', () => {
      const { id, timestamp, body } = anEvent();
      return post(receiver, body, { 'webhook-id': id, 'webhook-timestamp': timestamp });
    }),
    rejects('It rejects a body alone.', 'It needs no headers.', () => post(receiver, '{}', {})),
  ];
}

/** With the empty key, which anyone has. */
function signatureByNobody({ id, timestamp, body }: Message): string {
  return `v1,${signCanonicalRequest(`${id}.${timestamp}.${body}`, '')}`;
}

function postSigned(receiver: Receiver, { id, timestamp, body }: Message, signature: string) {
  return post(receiver, body, {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  });
}

function post(
  { url, send }: Receiver,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const all = { 'content-type': 'application/json', ...headers };
  return send(url, { method: 'POST', body, headers: all });
}

function acceptedFinding(answer: Answer, advice: string): Finding {
  const { status } = answer;
  const isRight = status >= 200 && status < 300;
  const found = describe(answer);
  if (status === 0) return { isRight, found, advice: 'Check --receiver, and its time to answer.' };
  const isRedirect = status >= 300 && status < 400;
  const redirected = 'The service follows no redirect: register the address that answers.';
  return { isRight, found, advice: isRedirect ? redirected : advice };
}

function rejectedFinding(answer: Answer, mistake: string): Finding {
  const { status } = answer;
  const isRight = status >= 400 && status < 500 && status !== 410;
  const advice = 'Answer 400, and do nothing.';
  if (status === 410) {
    return { isRight, found: describe(answer), advice: `410 may disable the endpoint. ${advice}` };
  }
  const cause = status >= 200 && status < 300 ? `${mistake} ` : '';
  return { isRight, found: describe(answer), advice: cause + advice };
}
