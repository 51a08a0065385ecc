// What a partner and its payers ask of a live world over HTTP, and what is true of a payment afterwards in every place that
// says something about it.
import { createMemoryKeySets, startApp, type Reply, type TestApp } from '../../support/app';
import { findExisting } from '../../support/builders';
import { aPartner, mintToken } from '../../support/payments/partner';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import type { PaymentRunner, RunnerAnswer } from '../../../src/ports/payment-runner';
import type { LiveWorld } from './world';
import { endingInRows } from './payment-endings';

export type LivePayer = Awaited<ReturnType<typeof openPayer>>;

const PATH = '/v1/payment_intents';
const CENTS = 1_250;
const REPEATS_MAX = 5;

function bodyOf(cents: number): string {
  return `{"partner_user_id":"user-4711","amount_usd_cents":${String(cents)},"corridor":"th_qrpay"}`;
}

/** @param webhookUrl the partner's endpoint; nobody's unless told */
export async function openPayer({ bed, runner }: LiveWorld, webhookUrl?: string) {
  const partner = await aPartner(bed, webhookUrl === undefined ? {} : { webhookUrl });
  const observed = observe(runner);
  const app = await startApp(bed, {
    keySets: createMemoryKeySets([partner]),
    runner: observed.runner,
  });
  const post = (path: string) => ({ method: 'POST', path: `${PATH}${path}` });
  const mint = (intent: PaymentIntent) => mintToken(partner, intent);
  const headers = { 'Content-Type': 'application/json' };
  const sendCreate = (cents: number) =>
    app.sendSigned(partner, { ...post(''), headers, body: bodyOf(cents) });
  return {
    /** Whether the API has asked the intent's run for anything. */
    isAsked: observed.isAsked,
    /** Whether Temporal has refused a confirm of the intent because its run had as many updates as it takes. */
    wasBusy: observed.wasBusy,
    mint,
    /** A new intent, and its row without a run when the start of it gets lost. */
    async create({ isStartLost = false, cents = CENTS } = {}) {
      observed.loseStarts(isStartLost);
      // Where tests run on a busy machine, a create may be told 503 as by any API.
      let reply = await sendCreate(cents);
      for (let repeats = 0; reply.status === 503 && repeats < REPEATS_MAX; repeats += 1) {
        reply = await sendCreate(cents);
      }
      const intentId = intentIdOf(app, reply);
      // The pool may be as busy.
      return findExisting(bed, intentId).catch(() => findExisting(bed, intentId));
    },
    /** A create that may be refused. */
    tryCreate: () => sendCreate(CENTS),
    /** By the partner's signature. */
    read: ({ intentId }: PaymentIntent) => app.sendSigned(partner, { path: `${PATH}/${intentId}` }),
    /** With a token of its own, unless one is given. */
    confirm: (
      intent: PaymentIntent,
      token = mint(intent),
      headers: Readonly<Record<string, string>> = {},
    ) =>
      app.send({
        ...post(`/${intent.intentId}/confirm`),
        headers: { ...headers, Authorization: `Bearer ${token}` },
      }),
    cancel: (intent: PaymentIntent) => app.sendSigned(partner, post(`/${intent.intentId}/cancel`)),
    close: () => app.close(),
  };
}

function intentIdOf({ begun }: TestApp, reply: Reply): PaymentIntent['intentId'] {
  const { intent_id: intentId } = JSON.parse(reply.text) as {
    intent_id: PaymentIntent['intentId'];
  };
  if (reply.status !== 201 || begun.length > 0) throw new Error(`not created: ${reply.text}`);
  return intentId;
}

/** What the API asks of orchestration, and is answered. */
function observe(runner: PaymentRunner) {
  const asked = new Set<string>();
  const answered = new Set<string>();
  let areStartsLost = false;
  const noted = async (what: string, intentId: string, answer: Promise<RunnerAnswer>) => {
    asked.add(intentId);
    answered.add(`${what} ${await answer} ${intentId}`);
    return answer;
  };
  const observed: PaymentRunner = {
    begin: (payment) => {
      if (!areStartsLost) runner.begin(payment);
    },
    confirm: (payment, ...more) =>
      noted('confirm', payment.intentId, runner.confirm(payment, ...more)),
    cancel: (payment, ...more) =>
      noted('cancel', payment.intentId, runner.cancel(payment, ...more)),
  };
  return {
    runner: observed,
    isAsked: ({ intentId }: PaymentIntent) => asked.has(intentId),
    wasBusy: ({ intentId }: PaymentIntent) => answered.has(`confirm busy ${intentId}`),
    loseStarts: (areLost: boolean) => {
      areStartsLost = areLost;
    },
  };
}

/** `200 captured` or `409`: what an answer says of the intent. */
export function said({ status, text }: Reply): string {
  const { status: told } = JSON.parse(text) as { readonly status?: string };
  return told === undefined ? String(status) : `${String(status)} ${told}`;
}

/** Where everything that can say something about a payment says what it says. */
export async function truthOf({ bed, executed }: LiveWorld, { intentId }: PaymentIntent) {
  const { status, transfers } = await endingInRows(bed.database, intentId);
  const journal = await executed();
  return {
    status,
    moved: transfers.map((transfer) => transfer.split(' ', 1)[0]),
    executed: journal
      .filter(({ key }) => key.startsWith(intentId))
      .map((one) => one.amount_usd_cents),
  };
}
