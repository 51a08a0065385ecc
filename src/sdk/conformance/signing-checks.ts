// Checks of signed requests (protocol 3 and 5). Wrong credentials are tried on GET only, so that a
// service that accepts them changes nothing.
import { systemNow, makeUniqueText } from '../clock';
import type { Check, Finding } from './check';
import { describe, type Answer } from './exchange';
import { INTENTS, textMember, type Environment } from './environment';

const TEN_MINUTES_MS = 600_000;
const NO_INTENT_ID = 'pi_00000000000000000000000000';

/** What the checks of one run share: the intent that the first of them creates. */
export interface Subject {
  readonly environment: Environment;
  intentId: string;
}

/** A check of the service itself, which a partner cannot correct. */
export function serviceFinding(answer: Answer, isRight: boolean): Finding {
  const advice = 'Report it to the operator, with the request id.';
  return { isRight, found: describe(answer), advice };
}

function expects(name: string, status: number, send: () => Promise<Answer>): Check {
  return {
    name,
    async run() {
      const answer = await send();
      return serviceFinding(answer, answer.status === status);
    },
  };
}

export function signingChecks(subject: Subject): readonly Check[] {
  const { environment } = subject;
  const key = `conformance-${makeUniqueText()}`;
  const path = () => `${INTENTS}/${subject.intentId}`;
  const get = { method: 'GET' } as const;
  let first: Answer | undefined;
  return [
    {
      name: 'A signed create is answered 201.',
      async run() {
        first = await environment.create({ key });
        subject.intentId = textMember(first.text, 'intent_id') ?? '';
        const isRight = first.status === 201 && subject.intentId !== '';
        return { isRight, found: describe(first), advice: adviceForCreate(first) };
      },
    },
    {
      name: 'The same create under its key gets the same answer.',
      async run() {
        const again = await environment.create({ key });
        const isReplayed = again.headers.get('idempotent-replayed') === 'true';
        return serviceFinding(again, isReplayed && again.text === first?.text);
      },
    },
    expects('Another body under that key is 400.', 400, () =>
      environment.create({ key, members: { partner_user_id: 'conformance-other' } }),
    ),
    expects('A create with an unknown member is 400.', 400, () =>
      environment.create({ members: { unknown: 1 } }),
    ),
    {
      name: 'A signed GET reads the intent.',
      async run() {
        const answer = await environment.get(subject.intentId);
        return serviceFinding(answer, textMember(answer.text, 'intent_id') === subject.intentId);
      },
    },
    expects('A query string is neither signed nor read.', 200, () =>
      environment.signed({ ...get, path: `${path()}?a=1` }),
    ),
    expects('A GET of no intent is 404.', 404, () => environment.get(NO_INTENT_ID)),
    ...rejectionChecks(subject),
  ];
}

function rejectionChecks(subject: Subject): readonly Check[] {
  const { environment } = subject;
  const shifted = (ms: number) => new Date(systemNow().getTime() + ms).toISOString();
  const request = () => ({ method: 'GET', path: `${INTENTS}/${subject.intentId}` }) as const;
  const bodies = new Set<string>();
  const rejects = (name: string, send: () => Promise<Answer>) =>
    expects(name, 401, async () => {
      const answer = await send();
      // The nested envelope has the request id, which differs.
      const requestId = answer.headers.get('x-request-id') ?? '';
      if (answer.status === 401) bodies.add(answer.text.replace(requestId, ''));
      return answer;
    });
  return [
    rejects('The same signed bytes are 401 the second time.', async () => {
      const credentials = environment.signatureOf(request());
      await environment.sendWith(request(), credentials);
      return environment.sendWith(request(), credentials);
    }),
    rejects('A signature by another secret is 401.', () =>
      environment.get(subject.intentId, { signingSecret: 'another secret' }),
    ),
    rejects('A signature of another path is 401.', () =>
      environment.get(subject.intentId, { target: INTENTS }),
    ),
    rejects('An unknown key id is 401.', () =>
      environment.get(subject.intentId, { keyId: 'conformance_sandbox_2000q1' }),
    ),
    rejects('A timestamp of ten minutes ago is 401.', () =>
      environment.get(subject.intentId, { timestamp: shifted(-TEN_MINUTES_MS) }),
    ),
    rejects('A timestamp ten minutes ahead is 401.', () =>
      environment.get(subject.intentId, { timestamp: shifted(TEN_MINUTES_MS) }),
    ),
    rejects('A nonce of 16 bytes is 401.', () =>
      environment.get(subject.intentId, { nonce: makeUniqueText().replaceAll('-', '') }),
    ),
    rejects('A GET without credentials is 401.', () => environment.sendWith(request(), {})),
    {
      name: 'Every 401 has the same body.',
      run: () =>
        Promise.resolve({
          isRight: bodies.size === 1,
          found: `There were ${String(bodies.size)} bodies.`,
          advice: 'Report it to the operator.',
        }),
    },
  ];
}

export function cancelChecks(subject: Subject): readonly Check[] {
  const { environment } = subject;
  return [
    {
      name: 'A cancel is answered 200.',
      async run() {
        const answer = await environment.cancel(subject.intentId);
        return serviceFinding(answer, textMember(answer.text, 'status') === 'cancelled');
      },
    },
    expects('A second cancel is 409.', 409, () => environment.cancel(subject.intentId)),
  ];
}

function adviceForCreate(answer: Answer): string {
  switch (answer.status) {
    case 0:
      return 'Check the base URL, without /v1, and the network.';
    case 401:
      return `${clockSentence(answer)}Check that --key and SIGNING_SECRET are of one key, of this environment and not revoked, and that the operator has registered your address.`;
    case 404:
      return 'Check the base URL: it has no /v1.';
    case 422:
      return 'The corridor has a minimum: give it by --amount.';
    case 429:
      return 'The operator limits your creates: repeat after the seconds in Retry-After.';
    default:
      return 'Report it to the operator, with the request id.';
  }
}

/** The usual cause of a 401 that an answer shows. */
function clockSentence({ headers }: Answer): string {
  const offMs = systemNow().getTime() - Date.parse(headers.get('date') ?? '');
  if (!(Math.abs(offMs) > TEN_MINUTES_MS / 2)) return '';
  const seconds = String(Math.round(Math.abs(offMs) / 1_000));
  return `Your clock is ${seconds} s ${offMs > 0 ? 'ahead of' : 'behind'} the service: set it by NTP. `;
}
