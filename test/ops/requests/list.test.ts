// `payctl requests list`: an operator finds a rejected request by partner and time, without the
// X-Request-Id of its response.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRejected } from '../../../src/ops/requests/list';
import { createMemoryKeySets } from '../../support/app';
import { anIntent } from '../../support/builders';
import { withApp, withDatabase, withFolder, withPartner } from '../../support/brackets';
import { mintToken, sign, type TestPartner } from '../../support/payments/partner';
import { jsonOf, runPayctl, textOf } from '../../support/programs/payctl';

const bed = withDatabase();
const [acme, other] = [withPartner(bed, { name: 'acme' }), withPartner(bed, { name: 'acme-2' })];
const app = withApp(bed, () => ({ keySets: createMemoryKeySets([acme, other]) }));
const folder = withFolder();
const minute = (at: number) => `2026-03-02T12:0${String(at)}:00.000Z`;
const ids: string[] = [];
let log: string;

beforeAll(async () => {
  const intent = await anIntent(bed, acme);
  const path = `/v1/payment_intents/${intent.intentId}`;
  const signed = (who: Pick<TestPartner, 'key_id' | 'signing_secret'>) => ({
    path,
    headers: sign(who, { method: 'GET', path }),
  });
  const token = mintToken(acme, intent, { aud: 'elsewhere' });
  const requests = [
    signed({ ...acme, signing_secret: 'wrong' }),
    signed({ ...other, signing_secret: 'wrong' }),
    signed({ key_id: 'acme_prod_2026q1', signing_secret: 'x' }),
    signed(acme),
    { path, headers: { Authorization: `Bearer ${token}` } },
    { path: `/v1${path}` },
  ];
  for (const request of requests) {
    ids.push(String((await app.send(request)).headers['x-request-id']));
  }
  // The API of a test logs no time.
  const lines = app.lines.map((line, at) => line.replace('{', `api-1 | {"time":"${minute(at)}",`));
  log = join(folder, 'api.log');
  writeFileSync(log, ['started', ...lines, '{"rejection":"cut short'].join('\n'));
});

const list = async (...args: readonly string[]) => {
  const found = jsonOf(await runPayctl(bed, ['requests', 'list', '--log', log, '--json', ...args]));
  return (found as readonly { readonly request_id: string }[]).map(({ request_id: id }) =>
    ids.indexOf(id),
  );
};

it('has the rejected requests of a partner, the newest first, also those with an unknown key', async () => {
  expect(await list('--partner', 'acme')).toEqual([4, 2, 0]);
  expect(await list('--partner', 'acme-2')).toEqual([1]);
});

it('has those that name no partner too, without --partner', async () => {
  expect(await list()).toEqual([5, 4, 2, 1, 0]);
});

it('has only those since a time, and at most as many as --limit', async () => {
  expect(await list('--partner', 'acme', '--since', minute(2))).toEqual([4, 2]);
  expect(await list('--limit', '1')).toEqual([5]);
});

it('is by time over several logs, in whatever order they are named', async () => {
  const [newer, older] = [join(folder, 'newer'), join(folder, 'older')];
  const line = (at: number) => JSON.stringify({ time: minute(at), status: 401, rejection: 'x' });
  writeFileSync(newer, [line(6), line(7)].join('\n'));
  writeFileSync(older, [1, 2, 3, 4, 5].map(line).join('\n'));
  const found = await findRejected([newer, older], { limit: 2 });
  expect(found.map(({ at }) => at)).toEqual([minute(7), minute(6)]);
});

it('begins each row with the request id, and shows people the cause and the address', async () => {
  const ran = await runPayctl(bed, ['requests', 'list', '--log', log, '--partner', 'acme-2']);
  const [, row, note] = textOf(ran).split('\n');
  expect(row).toBe(`${ids[1] ?? ''}  ${minute(1)}  401     signature_wrong`);
  expect(note).toBe('  GET /v1/payment_intents/:intent_id, from socket: 127.0.0.1');
});

it('says so if there is none', async () => {
  const ran = await runPayctl(bed, ['requests', 'list', '--log', log, '--partner', 'nobody']);
  expect(textOf(ran)).toBe('There is no such request.\n');
});
