// A partner and its payers, who call a live world over HTTP, and a read of the final state of a
// payment in all places.
import {
  createMemoryKeySets,
  startApp,
  type Outgoing,
  type Reply,
  type TestApp,
} from '../../support/app';
import { findExisting } from '../../support/builders';
import { aPartner, mintToken } from '../../support/payments/partner';
import type { Corridor } from '../../../src/corridors/names';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import type { PaymentRunner, RunnerAnswer } from '../../../src/ports/intents';
import type { LiveWorld } from './world';
import { endingInRows } from './payment-endings';

export type LivePayer = Awaited<ReturnType<typeof openPayer>>;

const PATH = '/v1/payment_intents';
const CENTS = 1_250;
const REPEATS_MAX = 5;

const bodyOf = (cents: number, corridor: Corridor) =>
  JSON.stringify({ partner_user_id: 'user-4711', amount_usd_cents: cents, corridor });

interface Creation {
  readonly isStartLost?: boolean;
  readonly cents?: number;
  readonly corridor?: Corridor;
}

/** @param webhookUrl the partner's endpoint; by default an address without a server */
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
  const cancel = ({ intentId }: PaymentIntent) =>
    app.sendSigned(partner, post(`/${intentId}/cancel`));
  const sendCreate = (cents: number, corridor: Corridor = 'th_qrpay') =>
    app.sendSigned(partner, { ...post(''), headers, body: bodyOf(cents, corridor) });
  return {
    partner,
    /** Whether the API has sent a request to the intent's workflow. */
    isRequested: observed.isRequested,
    /** Whether Temporal has rejected a confirm because the workflow had its maximum of updates. */
    wasBusy: observed.wasBusy,
    mint,
    /** Creates an intent; with `isStartLost` its row has no workflow. */
    async create({ isStartLost = false, cents = CENTS, corridor }: Creation = {}) {
      observed.loseStarts(isStartLost);
      const intentId = intentIdOf(app, await untilAnswered(() => sendCreate(cents, corridor)));
      // The pool may be busy too, so the read is tried twice.
      return findExisting(bed, intentId).catch(() => findExisting(bed, intentId));
    },
    /** Sends a create that may be rejected. */
    tryCreate: () => sendCreate(CENTS),
    /** Reads with the partner's signature. */
    read: ({ intentId }: PaymentIntent) => app.sendSigned(partner, { path: `${PATH}/${intentId}` }),
    /** Confirms with a new token by default. @param more the scanned code, or other parts */
    confirm: (intent: PaymentIntent, token = mint(intent), more?: string | Partial<Outgoing>) =>
      app.confirm(intent, token, more),
    /** The same, and repeats it with the same token while it is answered 503. */
    confirmUntilAnswered: (intent: PaymentIntent, token = mint(intent)) =>
      untilAnswered(() => app.confirm(intent, token)),
    confirmUntil: untilStep((...args) => app.confirm(...args), mint),
    cancel,
    cancelUntilAnswered: (intent: PaymentIntent) => untilAnswered(() => cancel(intent)),
    close: () => app.close(),
  };
}

/** On a busy machine a request may be answered 503. */
async function untilAnswered(send: () => Promise<Reply>): Promise<Reply> {
  let reply = await send();
  for (let repeats = 0; reply.status === 503 && repeats < REPEATS_MAX; repeats += 1) {
    reply = await send();
  }
  return reply;
}

type Confirm = TestApp['confirm'];

/**
 * Confirms, and waits for a step that begins by it. On a busy machine a confirm may be answered 503
 * before it reaches the workflow; then the payer repeats it.
 */
function untilStep(confirm: Confirm, mint: (intent: PaymentIntent) => string) {
  return async (
    { begun }: { readonly begun: Promise<unknown> },
    intent: PaymentIntent,
    token = mint(intent),
    more?: Parameters<Confirm>[2],
  ) => {
    for (;;) {
      const confirming = confirm(intent, token, more);
      const early = await Promise.race([begun.then(() => undefined), confirming]);
      if (early === undefined) return { confirming };
      if (early.status !== 503) throw new Error(`answered before the step: ${early.text}`);
    }
  };
}

function intentIdOf({ begun }: TestApp, reply: Reply): PaymentIntent['intentId'] {
  const { intent_id: intentId } = JSON.parse(reply.text) as {
    intent_id: PaymentIntent['intentId'];
  };
  if (reply.status !== 201 || begun.length > 0) throw new Error(`not created: ${reply.text}`);
  return intentId;
}

/** Records the API's calls to the runner and their results. */
function observe(runner: PaymentRunner) {
  const requested = new Set<string>();
  const answered = new Set<string>();
  let areStartsLost = false;
  const recorded = async (what: string, intentId: string, answer: Promise<RunnerAnswer>) => {
    requested.add(intentId);
    answered.add(`${what} ${await answer} ${intentId}`);
    return answer;
  };
  const observed: PaymentRunner = {
    begin: (payment) => {
      if (!areStartsLost) runner.begin(payment);
    },
    confirm: (payment, ...more) =>
      recorded('confirm', payment.intentId, runner.confirm(payment, ...more)),
    cancel: (payment, ...more) =>
      recorded('cancel', payment.intentId, runner.cancel(payment, ...more)),
  };
  return {
    runner: observed,
    isRequested: ({ intentId }: PaymentIntent) => requested.has(intentId),
    wasBusy: ({ intentId }: PaymentIntent) => answered.has(`confirm busy ${intentId}`),
    loseStarts: (areLost: boolean) => {
      areStartsLost = areLost;
    },
  };
}

/** Status code and intent status of an answer, such as `200 captured` or `409`. */
export function said({ status, text }: Reply): string {
  const { status: intentStatus } = JSON.parse(text) as { readonly status?: string };
  return intentStatus === undefined ? String(status) : `${String(status)} ${intentStatus}`;
}

/** The state of a payment in row, ledger and provider journal. */
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
