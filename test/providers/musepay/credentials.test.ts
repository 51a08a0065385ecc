// The setting with the credentials of MusePay: a malformed one is rejected at the start.
import { generateKeyPairSync } from 'node:crypto';
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import { createMusePayProvider } from '../../../src/providers/musepay/provider';
import { credentialsText } from './simulator';

const outbound = createProviderOutbound();
afterAll(() => outbound.close());

const create = (token: string) =>
  createMusePayProvider(outbound, { baseUrl: 'https://api.musepay.example', token });

const PEM = { type: 'pkcs8', format: 'pem' } as const;
const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(PEM);
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const privatePem = rsa.privateKey.export(PEM) as string;
const MEMBERS = ['partner_id', 'private_key', 'provider_public_key', 'notify_url'];

it('is a JSON object on one line', () => {
  expect(credentialsText()).not.toContain('\n');
  expect(create(credentialsText()).abilities).toEqual({
    ...{ repeat: 'unsafe', findsByKey: true, notFoundIsProof: false, refusalIsFinal: false },
    ...{ declineIsFinal: false, needsLocal: true, confirmsLocal: false, askAfterPaidDays: 30 },
  });
});

it('may have keys in the older PEM form too', () => {
  const older = { type: 'pkcs1', format: 'pem' } as const;
  const keys = {
    private_key: rsa.privateKey.export(older),
    provider_public_key: rsa.publicKey.export(older),
  };
  expect(() => create(credentialsText(keys))).not.toThrow();
});

it.each(MEMBERS)('without %s is rejected with that name', (member) => {
  const others = MEMBERS.filter((name) => name !== member).join('|');
  expect(() => create(credentialsText({ [member]: undefined }))).toThrow(
    new RegExp(`^(?!.*(${others})).*missing or wrong ${member}`),
  );
});

it.each(['', 'a bearer credential', '[]', 'null', '"text"', '{"partner_id":"1","partner_id":"2"}'])(
  'that is %j is rejected with all names',
  (token) => {
    expect(() => create(token)).toThrow(`missing or wrong ${MEMBERS.join(', ')}.`);
  },
);

it.each([
  ['partner_id', 'with space'],
  ['private_key', 'MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC'],
  ['private_key', privatePem.slice(0, 400)],
  ['private_key', curve],
  ['provider_public_key', privatePem],
  ['provider_public_key', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'],
  ['notify_url', 'http://pay.example/callbacks'],
  ['notify_url', 'pay.example'],
])('with a wrong %s is rejected by name, without its value (%#)', (member, value) => {
  const message = messageOf(() => create(credentialsText({ [member]: value })));
  expect(message).toBe(`MusePay: missing or wrong ${member}. See docs/providers/musepay.md.`);
});

function messageOf(work: () => unknown): string {
  try {
    work();
    return 'nothing was thrown';
  } catch (error) {
    return (error as Error).message;
  }
}
