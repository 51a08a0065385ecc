// The conformance command against environments: one that accepts every credential fails each
// rejection, and rejected settings are explained. test/journeys runs it against the real service.
import { makeUniqueText, systemNow } from '../../../src/sdk/clock';
import { checkAll } from '../../../src/sdk/conformance/conformance';
import type { Answer, Send } from '../../../src/sdk/conformance/exchange';
import { countsOf } from '../../../src/sdk/conformance/report';
import { readTokenVectors } from '../../signing/vectors';
import { WIRE_INTENT } from '../client/stub-service';

const [key] = readTokenVectors().keys;
const signer = {
  issuer: 'https://partner.example',
  kid: key?.kid ?? '',
  privateKeyPem: key?.private_key_pem ?? '',
};

function checkThrough(send: Send) {
  const environment = {
    ...{ baseUrl: 'https://pay.example/', keyId: 'k', signingSecret: 's', send },
    ...{ amountUsdCents: 1, corridor: 'th_qrpay' as const },
  };
  const more = { isJson: false, isSandbox: false, signer, receiver: undefined };
  return checkAll({ ...more, environment });
}

const answer = (status: number, body: object, headers: Record<string, string> = {}): Answer => {
  return { status, text: JSON.stringify(body), headers: new Headers(headers) };
};

/** Creates, reads and cancels for anybody, and records what it was sent. */
function permissive() {
  const sent: { readonly method: string; readonly path: string }[] = [];
  const open = new Set<string>();
  const send: Send = (url, { method }) => {
    const { pathname: path } = new URL(url);
    sent.push({ method, path });
    const intentId = path.split('/')[3] ?? `pi_${makeUniqueText()}`;
    if (method === 'GET')
      return Promise.resolve(answer(200, { ...WIRE_INTENT, intent_id: intentId }));
    if (path.endsWith('/cancel')) open.delete(intentId);
    else open.add(intentId);
    const status = path.endsWith('/cancel') ? 'cancelled' : 'created';
    const body = { ...WIRE_INTENT, intent_id: intentId, status };
    return Promise.resolve(answer(status === 'created' ? 201 : 200, body));
  };
  return { sent, open, send };
}

describe('an environment that accepts every credential', () => {
  it('fails every check of a rejection, and is left without an open intent', async () => {
    const service = permissive();
    const { results } = await checkThrough(service.send);
    const passed = results.filter(({ outcome }) => outcome === 'passed');
    expect(passed.map(({ check }) => check)).toEqual([
      'A signed create is answered 201.',
      'A signed GET reads the intent.',
      'A query string is neither signed nor read.',
      'A token by your key reads its intent.',
      'A cancel is answered 200.',
    ]);
    expect(results.filter(({ outcome }) => outcome === 'skipped')).toEqual([]);
    expect([...service.open]).toEqual([]);
  });

  it('gets no confirm, and wrong credentials on GET alone', async () => {
    const service = permissive();
    await checkThrough(service.send);
    const changing = service.sent.filter(({ method }) => method !== 'GET');
    expect(changing.some(({ path }) => path.endsWith('/confirm'))).toBe(false);
    // Four creates, two cancels of the first intent, and one of each intent created by mistake.
    expect(changing).toHaveLength(9);
  });
});

describe('an environment that rejects the first create', () => {
  const adviceAfter = async (first: Answer) => {
    const report = await checkThrough(() => Promise.resolve(first));
    expect(countsOf(report)).toMatchObject({ passed: 0, failed: 1 });
    return report.results[0]?.advice;
  };
  const rejected = { error: 'authentication_failed', message: 'No.' };

  it('with 401 has the credentials named, and the rest skipped', async () => {
    const date = systemNow().toUTCString();
    const advice = await adviceAfter(answer(401, rejected, { Date: date }));
    expect(advice).toMatch(/^Check that --key and SIGNING_SECRET are of one key/);
  });

  it('with 401 and a Date of 20 minutes ago has the clock named', async () => {
    const date = new Date(systemNow().getTime() - 1_200_000).toUTCString();
    const advice = await adviceAfter(answer(401, rejected, { Date: date }));
    expect(advice).toMatch(/^Your clock is 120[01] s ahead of the service: set it by NTP\./);
  });

  it.each([
    [404, 'Check the base URL: it has no /v1.'],
    [422, 'The corridor has a minimum: give it by --amount.'],
    [429, 'The operator limits your creates: repeat after the seconds in Retry-After.'],
    [0, 'Check the base URL, without /v1, and the network.'],
    [500, 'Report it to the operator, with the request id.'],
  ])('with %d says what to do', async (status, sentence) => {
    expect(await adviceAfter(answer(status, {}))).toBe(sentence);
  });
});

it('accepts 401 bodies that differ in the request id alone, as in the nested envelope', async () => {
  const service = permissive();
  let requests = 0;
  const send: Send = (url, sending) => {
    if (sending.method === 'POST') return service.send(url, sending);
    const id = `req_${String((requests += 1))}`;
    const error = { code: 'authentication_failed', message: 'No.', request_id: id };
    return Promise.resolve(answer(401, { error }, { 'X-Request-Id': id }));
  };
  const { results } = await checkThrough(send);
  const check = results.find((result) => result.check === 'Every 401 has the same body.');
  expect(check).toMatchObject({ outcome: 'passed' });
});

it('names the check that a token of another kid fails', async () => {
  const service = permissive();
  const send: Send = (url, sending) => {
    const isToken = 'Authorization' in sending.headers;
    if (isToken) return Promise.resolve(answer(401, { error: 'authentication_failed' }));
    return url.endsWith('jwks.json')
      ? Promise.resolve(answer(200, { keys: [] }))
      : service.send(url, sending);
  };
  const { results } = await checkThrough(send);
  const failed = results.find(({ check }) => check === 'A token by your key reads its intent.');
  expect(failed?.advice).toMatch(
    /^key_set_not_fetched at https:\/\/partner\.example\/\.well-known\/jwks\.json: iss: expected /,
  );
});
