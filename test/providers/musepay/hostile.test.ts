// Answers that are not certainly MusePay's own about this very payment are unknown.
import {
  failed,
  found,
  html,
  ID,
  INQUIRY,
  IN_TIME,
  json,
  ORDER,
  OTHER_ID,
  submitted,
  withMusePay,
  type Answer,
} from './answering';

const musePayWith = withMusePay();
const call = {
  pay: (answer: Answer) => musePayWith(answer, (musePay) => musePay.pay(ORDER, IN_TIME)),
  find: (answer: Answer) => musePayWith(answer, (musePay) => musePay.find(ORDER)),
  inquire: (answer: Answer) => musePayWith(answer, async (musePay) => musePay.inquire?.(INQUIRY)),
};
const GOOD = {
  pay: submitted(),
  find: found(),
  inquire: { code: 200, data: { amount: '32', currency: 'THB' } },
};
const UNKNOWN = { outcome: 'unknown' };
const after = (body: object, text: string) => JSON.stringify(body).replace(/.$/, text);

it.each(['pay', 'find', 'inquire'] as const)('%s would read such an answer', async (name) => {
  const outcomes = { pay: 'pending', find: 'paid', inquire: 'quoted' };
  expect(await call[name](json(GOOD[name]))).toMatchObject({ outcome: outcomes[name] });
});

describe.each(['pay', 'find', 'inquire'] as const)('%s is unknown for', (name) => {
  const good = GOOD[name];
  const text = JSON.stringify(good);
  const cases: readonly (readonly [string, Answer])[] = [
    ...[400, 401, 403, 404, 408, 409, 425, 429, 500, 502, 503].flatMap((status) => [
      [`a ${String(status)} with a good body`, json(good, status)] as const,
      [`a ${String(status)} of a gateway`, html(status)] as const,
      [`a ${String(status)} without a body`, json('', status)] as const,
    ]),
    ...[201, 202, 203, 206, 302].map(
      (status) => [`a ${String(status)}`, json(good, status)] as const,
    ),
    ['a page in HTML', html(200)],
    ['no media type', json(good, 200, { 'content-type': '' })],
    ['another charset', json(good, 200, { 'content-type': 'application/json; charset=latin1' })],
    ['a Content-Encoding', json(good, 200, { 'content-encoding': 'gzip' })],
    ['an answer from a cache', json(good, 200, { age: '0' })],
    ['a code of success without data', json({ code: 200, message: 'success' })],
    ['a code of success with null', json({ code: 200, data: null })],
    ['a list of data', json({ ...good, data: [good.data] })],
    ['data that is text', json({ ...good, data: JSON.stringify(good.data) })],
    ['an error in a 200', json({ ...good, code: 500 })],
    ['an unlisted code', json({ ...good, code: 201 })],
    ['a code with an exponent', json(text.replace(/"code":"?200"?/, '"code":2e2'))],
    ['a code with a fraction', json(text.replace(/"code":"?200"?/, '"code":200.0'))],
    ['a code that is true', json({ ...good, code: true })],
    ['no code', json({ data: good.data })],
    ['a list', json([good])],
    ['a member twice', json(after(good, ',"code":200}'))],
    ['a member twice, once escaped', json(after(good, ',"c\\u006fde":200}'))],
    ['a prototype', json(`{"__proto__":${text}}`)],
    ['a second value after it', json(`${text}{}`)],
    ['a byte order mark', json(`\ufeff${text}`)],
    ['a body that is cut', json(text.slice(0, -1))],
    ['too short a body', json(text, 200, { 'content-length': String(text.length + 9) })],
    ['an answer without end', json(`${text}${' '.repeat(20_000)}`)],
    ['a connection that is cut', (request) => request.socket.destroy()],
  ];

  it.each(cases)('%s', async (_what, answer) => {
    expect(await call[name](answer)).toMatchObject(UNKNOWN);
  });
});

it.each([
  ['another id', submitted({ request_id: OTHER_ID })],
  ['no number of the order', submitted({ orderNo: undefined })],
  ['an empty number', submitted({ orderNo: '' })],
  ['two numbers', submitted({ order_no: 'MP2' })],
  ['a number that is an object', submitted({ orderNo: { no: 'MP1' } })],
  ['a number of 129 characters', submitted({ orderNo: 'x'.repeat(129) })],
  ['a refusal that names an order', { ...failed(202_203), data: { orderNo: 'MP1' } }],
  ['a refusal that names an id', { ...failed(202_203), data: { request_id: ID } }],
])('an order is unknown for %s', async (_what, body) => {
  expect(await call.pay(json(body))).toMatchObject(UNKNOWN);
});

const FOUND_TEXT = JSON.stringify(found());

it.each([
  ['another id', found({ request_id: OTHER_ID })],
  ['our id in capitals', found({ request_id: ID.toUpperCase() })],
  ['our id with more around it', found({ request_id: ` ${ID}` })],
  ['our whole key', found({ request_id: ORDER.key })],
  ['no id', found({ request_id: undefined })],
  ['an id that is null', found({ request_id: null })],
  ['a list of ids', found({ request_id: [ID] })],
  ['our id outside of the data', { ...found({ request_id: undefined }), request_id: ID }],
  ['two numbers of the order', found({ orderNo: 'MP2' })],
  ['no status', found({ status: undefined })],
  ['a status that is no number', found({ status: 'SUCCESS' })],
  ['an unlisted status', found({ status: 100 })],
  ['a status with more digits', found({ status: '099' })],
  ['a status with an exponent', FOUND_TEXT.replace('"status":99', '"status":9.9e1')],
  ['a status with a fraction', FOUND_TEXT.replace('"status":99', '"status":99.0')],
  ['a status that is true', found({ status: true })],
  ['an id twice', FOUND_TEXT.replace('"status"', `"request_id":"${OTHER_ID}","status"`)],
  ['a status twice', FOUND_TEXT.replace('"status"', '"status":44,"status"')],
  ['an amount with an exponent', FOUND_TEXT.replace('"1.0043942247"', '1.0043942247e0')],
  ['an amount with an exponent as text', found({ order_amount: '1e3' })],
  ['a zero with an exponent', found({ fee_amount: '0E-18' })],
  ['a negative amount', found({ order_amount: '-1' })],
  ['a negative fee', found({ fee_amount: '-0.5' })],
  ['an amount with a comma', found({ order_amount: '1,5' })],
  ['an amount in hex', found({ order_amount: '0x10' })],
  ['an amount with 19 decimals', found({ order_amount: `0.${'1'.repeat(19)}` })],
  ['amounts whose sum is no cost', found({ order_amount: '9'.repeat(13) })],
  ['an unknown order that is named', { ...failed(7_000), data: { request_id: ID } }],
  ['an unknown order that has a number', { ...failed(7_000), data: { order_no: 'MP1' } }],
])('a query is unknown for %s', async (_what, body) => {
  expect(await call.find(json(body))).toMatchObject(UNKNOWN);
});

it.each<[string, Answer]>([
  ['from a cache', json(failed(7_000), 200, { age: '0' })],
  ['of a failing server', json(failed(7_000), 500)],
  ['in another media type', json(failed(7_000), 404, { 'content-type': 'text/plain' })],
  ['that is cut', json(JSON.stringify(failed(7_000)).slice(0, -1), 404)],
  ['that is encoded', json(failed(7_000), 404, { 'content-encoding': 'br' })],
  ['with an exponent', json('{"code":7e3}')],
  ['to another request', json(failed(70_000))],
])('an unknown order %s is never not_found', async (_what, answer) => {
  expect(await call.find(answer)).toMatchObject(UNKNOWN);
});

it.each([202_203, 5_004])('a refusal %d from a cache is unknown', async (code) => {
  expect(await call.pay(json(failed(code), 200, { age: '3' }))).toMatchObject(UNKNOWN);
});

it('says neither code nor payer in a cause', async () => {
  const said = { ...submitted({ orderNo: undefined, payee: 'SOMCHAI' }), qrcode: ORDER.qrPayload };
  const outcome = await call.pay(json(said));
  const cause = "The provider's answer is unclear: HTTP 200, code 200, status 22";
  expect(outcome).toEqual({ outcome: 'unknown', cause });
});
