// An inquiry at TransFi: two requests, which move no money. What it does not say is left out.
import type { RequestListener } from 'node:http';
import type { InquiryRequest } from '../../../src/ports/payout-provider';
import { recogniseErrorsOfNode } from '../../support/builders';
import { aVietnameseCode } from '../../support/payments/qr-codes';
import { answer, uncertain, withOneAnswer } from './one-answer';
import { PAYEE } from './simulator';

recogniseErrorsOfNode();
const withAnswer = withOneAnswer();

const LOCAL = { currency: 'VND', minor: 317_500 } as const;
const REQUEST: InquiryRequest = {
  ...({ qrPayload: aVietnameseCode(), corridor: 'vn_qrpay', amountUsdCents: 1_250 } as const),
  local: LOCAL,
};
const RATES = {
  source: { amount: '12.50', currency: 'USD' },
  destination: { amount: 317_500, currency: 'VND' },
  fees: { processingFee: 0.35 },
};
const COST = { currency: 'USD', debited: '12.85', fee: '0.35', rate: null };
const NAME = { name: 'NGUYEN VAN A', nameFrom: null, bank: 'Vietcombank' };
const QUOTE = { payee: NAME, local: LOCAL, cost: COST, token: null, firmUntil: null };

/** @returns the outcome, and the requests */
async function inquire(
  request: InquiryRequest,
  details: RequestListener = answer(PAYEE),
  rates: RequestListener = answer(RATES),
) {
  const requests: string[] = [];
  const outcome = await withAnswer(
    (incoming, response) => {
      const { method = '', url = '' } = incoming;
      requests.push(`${method} ${url}`);
      (method === 'POST' ? details : rates)(incoming, response);
    },
    async ({ inquire: work }) => work?.(request),
  );
  return { outcome, requests };
}

const outcomeOf = async (...args: Parameters<typeof inquire>) => (await inquire(...args)).outcome;

it('quotes the amount of the code with the payee and the cost, by two requests', async () => {
  const { outcome, requests } = await inquire(REQUEST);
  expect(outcome).toEqual({ outcome: 'quoted', inquiry: QUOTE });
  expect(requests.sort()).toEqual([
    'GET /v3/exchange-rates?sourceCurrency=USD&destinationCurrency=VND&destinationAmount=317500',
    'POST /v3/qr-code/details',
  ]);
});

it('quotes what the cents buy where the code has no amount, rounded down', async () => {
  const rates = { ...RATES, destination: { amount: '317500.999', currency: 'VND' } };
  const free = { ...REQUEST, local: null };
  const { outcome, requests } = await inquire(free, answer(PAYEE), answer(rates));
  expect(outcome).toEqual({ outcome: 'quoted', inquiry: QUOTE });
  expect(requests).toContain(
    'GET /v3/exchange-rates?sourceCurrency=USD&destinationCurrency=VND&sourceAmount=12.50',
  );
});

it.each<[string, object | string]>([
  ['are about another amount', { ...RATES, destination: { amount: 317_501, currency: 'VND' } }],
  ['are about another currency', { ...RATES, destination: { amount: 317_500, currency: 'THB' } }],
  ['have no fees', { ...RATES, fees: undefined }],
  ['are in euros', { ...RATES, source: { amount: '12.50', currency: 'EUR' } }],
  ['are no JSON', '<html>'],
])('quotes the amount of the code without a cost if the rates %s', async (_what, rates) => {
  const outcome = await outcomeOf(REQUEST, answer(PAYEE), answer(rates));
  expect(outcome).toEqual({ outcome: 'quoted', inquiry: { ...QUOTE, cost: null } });
});

it.each<[string, object | string]>([
  ['are about other cents', { ...RATES, source: { amount: '12.51', currency: 'USD' } }],
  ['say no source', { ...RATES, source: undefined }],
  ['are about another currency', { ...RATES, destination: { amount: 431.25, currency: 'THB' } }],
  ['have an exponent', { ...RATES, destination: { amount: '3.175e5', currency: 'VND' } }],
  ['buy nothing', { ...RATES, destination: { amount: '0.9', currency: 'VND' } }],
  ['are no JSON', '<html>'],
])('is unknown for a code without an amount if the rates %s', async (_what, rates) => {
  const outcome = await outcomeOf({ ...REQUEST, local: null }, answer(PAYEE), answer(rates));
  expect(outcome).toMatchObject({ outcome: 'unknown' });
});

it.each([
  ['in no known member', { name: 'A' }, null],
  ['that is empty', { accountName: '' }, null],
  ['that is a list', { accountName: ['A'] }, null],
  ['without a bank', { accountName: 'A' }, { name: 'A', nameFrom: null, bank: null }],
  ['in `data`', { data: PAYEE }, NAME],
])('quotes a payee with a name %s', async (_what, details, payee) => {
  const outcome = await outcomeOf(REQUEST, answer(details));
  expect(outcome).toEqual({ outcome: 'quoted', inquiry: { ...QUOTE, payee } });
});

it.each(uncertain(PAYEE))('is unknown for details %s', async (_what, details) => {
  await expect(outcomeOf(REQUEST, details)).resolves.toMatchObject({ outcome: 'unknown' });
});

it('is unknown for another corridor, and requests nothing', async () => {
  const { outcome, requests } = await inquire({ ...REQUEST, corridor: 'th_qrpay' });
  expect({ outcome, requests }).toMatchObject({ outcome: { outcome: 'unknown' }, requests: [] });
});
