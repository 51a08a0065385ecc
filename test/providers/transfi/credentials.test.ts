// TransFi's credentials in one setting: a malformed one is rejected before a payment is sent.
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import { createTransFiProvider } from '../../../src/providers/transfi/provider';
import { CREDENTIALS } from './simulator';

const outbound = createProviderOutbound();
afterAll(() => outbound.close());

const SECRET = 'hunter2';
const create = (token: string) =>
  createTransFiProvider(outbound, { baseUrl: 'http://127.0.0.1:9', token });

/** @returns the message of the error */
function faultOf(token: string): string {
  try {
    create(token);
  } catch (error) {
    return error instanceof Error ? error.message : 'not an Error';
  }
  return 'no error';
}

it('are accepted with further members', () => {
  const token = JSON.stringify({ ...CREDENTIALS, note: 'from the portal' });
  expect(create(token).abilities).toEqual({
    ...{ repeat: 'refused', findsByKey: false, notFoundIsProof: false },
    ...{ refusalIsFinal: false, declineIsFinal: false, needsLocal: true },
    ...{ confirmsLocal: true, askAfterPaidDays: 30 },
  });
});

it.each([
  ...(['username', 'password', 'mid', 'webhook_secret'] as const).flatMap((name) => [
    [`${name} is missing`, { [name]: undefined }, name] as const,
    [`${name} is empty`, { [name]: '' }, name] as const,
    [`${name} is a number`, { [name]: 7 }, name] as const,
    [`${name} has a line break`, { [name]: `${SECRET}\r\nx: y` }, name] as const,
    [`${name} is not ASCII`, { [name]: `${SECRET}é` }, name] as const,
  ]),
  ['the user name has a colon', { username: `${SECRET}:x` }, 'username'] as const,
])('are rejected if %s, by name and without a value', (_what, change, name) => {
  const fault = faultOf(JSON.stringify({ ...CREDENTIALS, password: SECRET, ...change }));
  expect(fault).toMatch(new RegExp(`^The TransFi credentials lack ${name}\\. `));
  expect(fault).not.toContain(SECRET);
  expect(fault).not.toContain(CREDENTIALS.mid);
});

it('are rejected by the names of all that is missing', () => {
  expect(faultOf('{"mid":"1"}')).toMatch(/lack username, password, webhook_secret\. /);
});

it.each([
  ['no JSON', SECRET],
  ['a bearer credential', `Bearer ${SECRET}`],
  ['JSON text', `"${SECRET}"`],
  ['a list', `["${SECRET}"]`],
  ['null', 'null'],
  ['nothing', ''],
  ['cut', `{"password":"${SECRET}"`],
  ['a repeated member', `{"mid":"1","mid":"2","password":"${SECRET}"}`],
])('are rejected if they are %s, without a value', (_what, token) => {
  const fault = faultOf(token);
  expect(fault).toMatch(
    /^The TransFi credentials lack the object itself\. Expected one JSON object/,
  );
  expect(fault).not.toContain(SECRET);
});
