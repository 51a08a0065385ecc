// The order of a payment with a quote: it has the quote's amount, and repeats the quote where that
// is of the account that sends and has not expired (decision 155). Provider: the sandbox over HTTP.
import { createPaymentActivities } from '../../../activities';
import { byCorridor } from '../../../src/corridors/names';
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import { startStopwatch } from '../../../src/main/stopwatch';
import { createPayoutLock } from '../../../src/postgres/payouts/lock';
import { openAccount } from '../../../src/providers/registry';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { createEndpointSpeeds } from '../../../src/domain/webhooks/endpoints';
import type { PayoutOrder } from '../../../src/ports/payout-provider';
import { INSTALLATION, move } from '../../support/builders';
import { ONE_ACCOUNT, TERMS } from '../../support/payments/accounts';
import { providerHealth } from '../../support/payments/provider-health';
import { NO_CODE_REQUIRED } from '../../support/payments/qr-codes';
import { aThaiCode } from '../../support/payments/qr-codes';
import { SILENT } from '../../support/silent-log';
import { TOKEN } from '../../sandbox/provider-caller';
import { withQuotes, type WireQuote } from './quote-world';

const CODE = aThaiCode();
const WITH_AMOUNT = aThaiCode({ '54': '431.00' });
const world = withQuotes();
const { bed, app, begin, quoted, confirm } = world;

const outbound = createProviderOutbound();
afterAll(() => outbound.close());

/** The activities of a worker whose account at the sandbox has this name. */
function worker(account: string, orders: PayoutOrder[]) {
  const provider = openAccount(outbound, {
    ...({ account, adapter: 'http', token: TOKEN } as const),
    url: world.sandbox.caller.url,
  });
  const recording: typeof provider = {
    ...provider,
    pay: (order, limits) => {
      orders.push(order);
      return provider.pay(order, limits);
    },
  };
  return createPaymentActivities({
    ...{ ...bed, ...ONE_ACCOUNT, startStopwatch, log: SILENT },
    payoutLock: createPayoutLock(bed.database),
    endpointSpeeds: createEndpointSpeeds(),
    providerHealth: providerHealth(),
    pause: () => Promise.resolve(),
    installationId: INSTALLATION.id,
    payoutUnknownSeconds: 900,
    isOperatorConfirmAllowed: true,
    isQrPayloadRequired: NO_CODE_REQUIRED,
    providers: byCorridor(() => recording),
  });
}

/** An authorized and debited intent with that quote. */
async function authorized(code = CODE): Promise<readonly [PaymentIntent, WireQuote]> {
  app.mode = 'authorize';
  const [intent, token] = await begin();
  const quote = await quoted(intent, token, code);
  const reply = await confirm(intent, token, { qr_payload: code, quote_id: quote.quote_id });
  expect(reply.status).toBe(200);
  await bed.funds.debit(intent.intentId, intent.amountUsdCents);
  return [intent, quote];
}

async function payOut(intent: PaymentIntent, account = 'main') {
  const orders: PayoutOrder[] = [];
  const createdAtMs = intent.createdAt.getTime();
  const result = await worker(account, orders).payOutAtOnce({ ...intent, createdAtMs });
  return { result, orders };
}

const tokenOf = async ({ quote_id: quoteId }: WireQuote) => {
  const { rows } = await bed.database.query<{ readonly token: string }>({
    text: 'select token from quotes where quote_id = $1',
    values: [quoteId],
  });
  return rows[0]?.token;
};

it.each([
  [CODE, 43_125],
  [WITH_AMOUNT, 43_100],
])('a payment is captured with the amount and the token of its quote', async (code, minor) => {
  const [intent, quote] = await authorized(code);
  const { result, orders } = await payOut(intent);
  expect(result).toMatchObject({ outcome: 'paid', captured: { status: 'captured' } });
  const token = await tokenOf(quote);
  expect(orders).toMatchObject([{ local: { currency: 'THB', minor }, token, qrPayload: code }]);
  expect(token).toMatch(/^quote_/);
  const receipt = await bed.intents.readReceipt(intent.intentId, 'captured');
  expect(receipt.local).toEqual({ currency: 'THB', amount: minor });
});

it('the token of another account is not used, and the amount stays', async () => {
  const [intent] = await authorized();
  const { result, orders } = await payOut(intent, 'second');
  expect(result).toMatchObject({ outcome: 'paid' });
  expect(orders).toMatchObject([{ local: { currency: 'THB', minor: 43_125 }, token: null }]);
});

it('a quote that has expired is not repeated, and the amount stays', async () => {
  const [intent] = await authorized();
  await world.setSeconds(60);
  const sending = await recordFirst(intent);
  expect(sending).toMatchObject({ token: null, order: { local: { minor: 43_125 } } });
});

/** A debit two seconds old needs a query first, so the attempt is the ordinary one. */
async function recordFirst({ intentId, ...terms }: PaymentIntent) {
  const attempt = await bed.payoutJournal.beginAttempt(intentId, terms, true);
  const number = attempt.kind === 'begun' ? attempt.number : 0;
  const fixed = { ...TERMS, account: 'http/main' };
  return bed.payoutJournal.recordSending(intentId, number, terms, fixed);
}

it('a later request repeats what the first one had, whatever became of the quote', async () => {
  const [[intent, quote], [another]] = [await authorized(), await authorized()];
  expect(await recordFirst(intent)).toMatchObject({ token: await tokenOf(quote) });
  await bed.database.query({
    text: `update quotes set account = 'http/second' where intent_id = $1`,
    values: [another.intentId],
  });
  expect(await recordFirst(another)).toMatchObject({ token: null });
  await bed.database.query({ text: `update quotes set account = 'http/main'` });
  await world.setSeconds(30);
  expect(await recordFirst(another)).toMatchObject({ token: null });
  await world.setSeconds(61);
  expect(await recordFirst(intent)).toMatchObject({ token: await tokenOf(quote) });
});

it('a later request repeats what the first one had, also after another quote', async () => {
  const [intent, quote] = await authorized();
  const first = await recordFirst(intent);
  await bed.database.query({
    text: `insert into quotes
           select (jsonb_populate_record(q, '{"quote_id": "another", "token": "another"}')).*
             from quotes q where intent_id = $1`,
    values: [intent.intentId],
  });
  await world.setSeconds(10);
  const second = await recordFirst(intent);
  expect(second).toMatchObject({ token: await tokenOf(quote), order: first?.order });
});

it('a quote with which nothing was authorized is deleted once the intent has ended', async () => {
  const [intent, token] = await begin();
  const quote = await quoted(intent, token, CODE);
  await world.setSeconds(61);
  await bed.claims.dropExpired(1_000);
  expect(await tokenOf(quote)).toMatch(/^quote_/);
  await move(bed, intent.intentId, 'cancel');
  await bed.claims.dropExpired(1_000);
  expect(await tokenOf(quote)).toBeUndefined();
});
