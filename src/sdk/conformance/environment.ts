// The environment under test: signs requests with a partner's key, also wrongly, and cancels every
// intent that a check has created.
import { explainSignature, type Corridor, type ExplainSignatureInput } from '../index';
import { makeNonce, makeUniqueText, systemNow } from '../clock';
import { parsed, type Answer, type Send } from './exchange';

export interface EnvironmentOptions {
  readonly baseUrl: string;
  readonly keyId: string;
  readonly signingSecret: string;
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
  readonly send: Send;
}

interface Request {
  readonly method: 'GET' | 'POST';
  /** From `/v1` on. */
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Credentials = Readonly<Record<string, string>>;

/** Parts of a signature to replace, which makes a wrong one. */
type SignatureChange = Partial<ExplainSignatureInput>;

export const INTENTS = '/v1/payment_intents';

export type Environment = ReturnType<typeof createEnvironment>;

export function createEnvironment(options: EnvironmentOptions) {
  const { amountUsdCents, corridor, send } = options;
  const created = new Set<string>();
  const { signatureOf, sendWith } = createSigner(options, created);
  const signed = (request: Request, change: SignatureChange = {}) =>
    sendWith(request, signatureOf(request, change));
  const cancel = (intentId: string) => {
    created.delete(intentId);
    return signed({ method: 'POST', path: `${INTENTS}/${intentId}/cancel` });
  };
  return {
    ...{ amountUsdCents, corridor, send, signatureOf, sendWith, signed, cancel },
    get: (intentId: string, change: SignatureChange = {}) =>
      signed({ method: 'GET', path: `${INTENTS}/${intentId}` }, change),
    create(given: { readonly key?: string; readonly members?: object } = {}): Promise<Answer> {
      const order = { partner_user_id: 'conformance', amount_usd_cents: amountUsdCents, corridor };
      const idempotencyKey = given.key ?? `conformance-${makeUniqueText()}`;
      return signed({
        method: 'POST',
        path: INTENTS,
        body: JSON.stringify({ ...order, ...given.members }),
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
      });
    },
    /** @returns the intents that could not be cancelled; they expire by themselves */
    async cancelCreated(): Promise<readonly string[]> {
      const left: string[] = [];
      for (const intentId of [...created]) {
        const { status } = await cancel(intentId);
        // 409: it is captured or cancelled already.
        if (status !== 200 && status !== 409) left.push(intentId);
      }
      return left;
    },
  };
}

/** @param created gets every intent, also one that the service should have rejected */
function createSigner(options: EnvironmentOptions, created: Set<string>) {
  const { baseUrl, keyId, signingSecret, send } = options;
  const urlOf = (path: string) => new URL(baseUrl.replace(/\/+$/, '') + path);
  const signatureOf = (
    { method, path, body = '' }: Request,
    change: SignatureChange = {},
  ): Credentials => {
    const [nonce, timestamp] = [makeNonce(), systemNow().toISOString()];
    const request = { method, target: urlOf(path).pathname, timestamp, nonce, body };
    return explainSignature({ keyId, signingSecret, ...request, ...change }).headers;
  };
  /** Sends the request with exactly these credentials. */
  const sendWith = async (request: Request, credentials: Credentials): Promise<Answer> => {
    const { method, path, body = '', headers = {} } = request;
    const sending = { method, body, headers: { ...headers, ...credentials } };
    const answer = await send(urlOf(path).href, sending);
    const intentId = textMember(answer.text, 'intent_id');
    if (answer.status === 201 && intentId !== undefined) created.add(intentId);
    return answer;
  };
  return { signatureOf, sendWith };
}

/** A text member of a JSON object; undefined where there is none. */
export function textMember(text: string, name: string): string | undefined {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const member: unknown = Reflect.get(value, name);
  return typeof member === 'string' ? member : undefined;
}
