// The partner and the payer. Records each answer for the checkers.
import { toPaymentStart } from '../../../src/domain/intents/payment-start';
import { DomainError } from '../../../src/domain/errors';
import { usdCents } from '../../../src/domain/money';
import { makeIntentId } from '../../../src/domain/ids';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import type { TokenUse } from '../../../src/domain/intents/transition';
import { toWire } from '../../../api/intents/view';
import { createPaymentClaims } from '../../../src/postgres/intents/claims';
import { createLostCommits } from '../../../src/postgres/payouts/lost-commits';
import { createSessionTokenStore } from '../../../src/postgres/partners/session-tokens';
import { createPaymentRunner } from '../../../src/temporal/payment-runner';
import { startNewPayment } from '../../../src/temporal/payment-start';
import { INSTALLATION } from '../../support/builders';
import type { ConfirmAnswer } from '../../../src/ports/partners';
import { SILENT } from '../../support/silent-log';
import type { Answer, Operation } from '../../chaos/actors/record';
import { bytesOf, type World } from './world';
import { FUNDED_USD_CENTS, START_MS } from './harness';

const CENTS = 1_250;
const OTHER_CENTS = 1_350;
const IDEMPOTENCY_KEY = 'order-1';
/** Shorter than a stop for a restore. */
export const TTL_SECONDS = 240;
const AMOUNTS = ['12.50 USD', 'more than the account has'] as const;
/** The payer's, of every token. */
export const SCANNED_CODE = 'a scanned code';
/** The default of `CONFIRM_WAIT_MS`. */
const CONFIRM_WAIT_MS = 8_000;
const CONFIRM_STATUS = {
  accepted: 200,
  spent: 401,
  conflict: 409,
  other_payload: 409,
  undecided: 503,
} as const;

interface Reply {
  readonly status: number;
  readonly text: string;
  /** The code that was rejected, or else the body. */
  readonly sent?: string;
}

export class PartnerAndPayer {
  readonly answers: Answer[] = [];
  intent: PaymentIntent | undefined;
  readonly cents: number;
  private requests = 0;

  private readonly world: World;

  constructor(world: World) {
    this.world = world;
    const isTooMuch = world.choices.rareSetting('the amount', AMOUNTS) !== AMOUNTS[0];
    this.cents = isTooMuch ? FUNDED_USD_CENTS + 1 : CENTS;
  }

  private get api() {
    const { postgres, client, clock, intentsOn } = this.world;
    const database = postgres.of(() => Promise.resolve());
    const rows = createLostCommits(database);
    const claims = createPaymentClaims(database, INSTALLATION.id);
    const starts = { client, rows, clock };
    const intents = intentsOn(database);
    return {
      ...{ database, starts, claims, client, intents },
      tokens: createSessionTokenStore(database),
      runner: createPaymentRunner({
        ...{ ...starts, intents },
        log: SILENT,
        starts: { add: () => undefined, drain: () => Promise.resolve() },
      }),
    };
  }

  /** Creates the intent and starts its workflow after the answer. The start may fail. */
  async create(cents = this.cents): Promise<void> {
    const { intents, starts, claims } = this.api;
    const created: PaymentIntent[] = [];
    const body = JSON.stringify({ amount_usd_cents: cents, corridor: 'th_qrpay' });
    const status = await this.ask('create', { body }, async () => {
      const { outcome, ...rest } = await intents.create({
        caller: this.world.partner.caller(),
        intentId: makeIntentId(START_MS, bytesOf('intent')),
        partnerUserId: 'user-1',
        amountUsdCents: usdCents(cents),
        corridor: 'th_qrpay',
        timeToLiveSeconds: TTL_SECONDS,
        isAmountAllowed: true,
        idempotency: { key: IDEMPOTENCY_KEY, bodyDigest: bytesOf(body) },
      });
      if (outcome === 'key_reused') return { status: 400, text: '' };
      if (!('intent' in rest)) throw new Error(outcome);
      this.intent = rest.intent;
      if (outcome === 'created') created.push(rest.intent);
      return { status: 201, text: toWire(rest.intent, 'created') };
    });
    if (status === 503) return this.retry(cents);
    const [intent] = created;
    if (intent === undefined) return;
    const payment = toPaymentStart(intent, INSTALLATION.id);
    await startNewPayment(starts, payment)
      .then(() => claims.markStarted([payment.intentId]))
      .catch(ignore);
  }

  /** Repeats a create without a definite answer under the same idempotency key. */
  private async retry(cents: number): Promise<void> {
    await this.world.fibers.sleep(5_000);
    await this.create(cents);
  }

  /** Repeats the create under the same idempotency key, as a partner may at any time. */
  async repeatCreate(which: 'as it was' | 'of another amount'): Promise<void> {
    if (this.intent !== undefined)
      await this.create(which === 'as it was' ? this.cents : OTHER_CENTS);
  }

  /**
   * Without waiting, the answer comes once the intent is authorized, as with `Prefer:
   * respond-async`.
   */
  async confirm(jti: string, { isWaiting = true } = {}): Promise<void> {
    const { intent } = this;
    if (intent === undefined) return;
    const { tokens } = this.api;
    const token = this.token(jti);
    await this.ask('confirm', { jtiHash: token.jtiHash }, async (requestId) => {
      const readToken = await tokens.readToken(intent.intentId, token.partnerId, token.jtiHash);
      if (readToken.token === 'answered' || readToken.token === 'elsewhere')
        return { status: 401, text: '' };
      const isForTheWorkflow =
        readToken.intent?.status === 'created' && readToken.token === 'unused';
      const said = isForTheWorkflow
        ? await this.askWorkflow(readToken.intent, token, { requestId, isWaiting })
        : await tokens.answerConfirm(intent.intentId, token, requestId, {
            qrPayload: SCANNED_CODE,
          });
      if (said === undefined) return { status: 404, text: '' };
      const isOtherCode = said.answer === 'other_payload';
      const sent = isOtherCode ? SCANNED_CODE : '';
      return { status: CONFIRM_STATUS[said.answer], text: toWire(said.intent), sent };
    });
  }

  /** As the API: it stores the code, and asks anew where the workflow has authorized nothing. */
  private async askWorkflow(
    intent: PaymentIntent,
    token: TokenUse,
    { requestId, isWaiting }: { readonly requestId: string; readonly isWaiting: boolean },
  ): Promise<ConfirmAnswer | undefined> {
    const { tokens, runner } = this.api;
    const payment = toPaymentStart(intent, INSTALLATION.id);
    const deadline = new AbortController().signal;
    let said: ConfirmAnswer | undefined;
    for (const anewFor of [undefined, requestId]) {
      const { local } = this.world.provider;
      await tokens.storePayload(intent.intentId, token, { qrPayload: SCANNED_CODE, local });
      const waiting = { waitForOutcome: isWaiting, deadline, anewFor };
      const answer = await this.within(CONFIRM_WAIT_MS, () =>
        runner.confirm(payment, token, waiting),
      );
      said = await tokens.answerConfirm(intent.intentId, token, requestId, {
        qrPayload: SCANNED_CODE,
      });
      if (answer !== 'answered' || said?.answer !== 'undecided') break;
    }
    return said;
  }

  async cancel(): Promise<void> {
    const { intent } = this;
    if (intent === undefined) return;
    const { intents, runner } = this.api;
    await this.ask('cancel', {}, async (requestId) => {
      const deadline = new AbortController().signal;
      const payment = toPaymentStart(intent, INSTALLATION.id);
      await this.within(CONFIRM_WAIT_MS, () => runner.cancel(payment, requestId, deadline));
      const said = await intents.answerCancel(intent.intentId, requestId);
      if (said === undefined) return { status: 404, text: '' };
      const status = { accepted: 200, conflict: 409, undecided: 503 };
      return { status: status[said.answer], text: toWire(said.intent) };
    });
  }

  async read(): Promise<void> {
    const { intent } = this;
    if (intent === undefined) return;
    const { intents } = this.api;
    await this.ask('get', {}, async () => {
      const seen = await intents.find(intent.intentId);
      return seen === undefined ? { status: 404, text: '' } : { status: 200, text: toWire(seen) };
    });
  }

  private token(jti: string): TokenUse {
    const jtiHash = Buffer.concat([bytesOf(jti), bytesOf(jti)])
      .toString('hex')
      .padEnd(64, '0')
      .slice(0, 64);
    const expiresAtMs = this.world.fibers.nowMs + 600_000;
    return { partnerId: this.world.partner.partnerId, jtiHash, expiresAtMs, hasQrPayload: true };
  }

  /** Returns the result when the work has ended, or undefined after the timeout. */
  private async within<Result>(
    ms: number,
    work: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const { fibers } = this.world;
    let result: Result | undefined;
    fibers.spawn('a call of the API', 'api', async () => {
      result = await work();
    });
    await fibers.wait(() => result !== undefined, ms);
    return result;
  }

  private async ask(
    operation: Operation,
    { jtiHash, body }: { readonly jtiHash?: string; readonly body?: string },
    work: (requestId: string) => Promise<Reply>,
  ): Promise<number> {
    const { fibers } = this.world;
    this.requests += 1;
    const requestId = `request-${String(this.requests)}`;
    const sentAtMs = fibers.nowMs;
    const { status, text, sent = body ?? '' } = await work(requestId).catch(unavailable);
    this.answers.push({
      ...{ request: undefined, operation, api: 'api', shiftMs: 0, intentId: this.intent?.intentId },
      ...{ nonce: undefined, signedAtMs: undefined, jtiHash, sentAtMs, answeredAtMs: fibers.nowMs },
      ...{ idempotencyKey: body && IDEMPOTENCY_KEY, status, text, sent },
    });
    return status;
  }
}

/**
 * The API answers 503 when Postgres is unavailable. Any other error is a bug of the product or the
 * simulation.
 */
function unavailable(error: unknown): Reply {
  if (error instanceof DomainError && error.code === 'unavailable')
    return { status: 503, text: '' };
  throw error;
}

function ignore(): undefined {
  return undefined;
}
