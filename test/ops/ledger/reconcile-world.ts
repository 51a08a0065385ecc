// Payments at chosen times, a provider's statement of them, and their reconciliation.
import type { IntentId } from '../../../src/domain/ids';
import { usdCents } from '../../../src/domain/money';
import type { IntentStatus } from '../../../src/domain/intents/payment-intent';
import {
  reconcile,
  type Reconciled,
  type ReconcileOptions,
} from '../../../src/ops/ledger/reconcile/reconcile';
import { recordEnvironment } from '../../../src/postgres/service-environment';
import { anIntent, openTestBed, type TestBed, move } from '../../support/builders';
import { NOON } from '../../support/clock';
import { aPartner, type TestPartner } from '../../support/payments/partner';
import { bracket } from '../../support/brackets';
import { recordSent } from '../../support/payments/payouts';
import { OPEN_SENTENCES } from '../../support/payments/attention';

export interface StatedLine {
  readonly key: string;
  readonly amount_usd_cents?: number | undefined;
  readonly local?: { readonly currency: string; readonly amount: number } | null;
  readonly cost?: { readonly currency: string; readonly debited: string } | null;
  readonly corridor: string;
  readonly executed_at: string;
  readonly environment?: string;
  readonly status?: string;
}

type PaymentStatus = Extract<
  IntentStatus,
  'created' | 'authorized' | 'captured' | 'failed' | 'refunded' | 'cancelled' | 'expired'
>;

interface PaymentOptions {
  /** Minutes after {@link NOON}. */
  readonly at?: number;
  /** When it was captured, in minutes; by default at `at`. */
  readonly capturedAt?: number;
  readonly cents?: number;
  readonly corridor?: 'th_qrpay' | 'vn_qrpay';
}

export type ReconcileWorld = Awaited<ReturnType<typeof openReconcileWorld>>;

export const minutes = (count: number) => new Date(NOON.getTime() + count * 60_000);

/** The period of the statement. */
const PERIOD = { since: minutes(0), until: minutes(120) };
const RECONCILED_AT = minutes(180);
/** The middle of the period, in minutes. */
export const MIDDLE = 60;

/** Opens a world for each test, or one for all tests of a file. */
export function withReconciliation({ isPerTest = true } = {}): ReconcileWorld {
  return bracket(openReconcileWorld, (world) => world.close(), isPerTest);
}

export async function openReconcileWorld() {
  const bed = await openTestBed();
  await recordEnvironment(bed.database, 'sandbox');
  const partner = await aPartner(bed);
  return {
    bed,
    payment: (status: PaymentStatus, options: PaymentOptions = {}) =>
      aPayment(bed, partner, { ...options, status }),
    async reconcile(
      statement: readonly StatedLine[] | string,
      options: Partial<ReconcileOptions> = {},
    ): Promise<Reconciled> {
      await bed.setNow(RECONCILED_AT);
      return reconcile(bed.database, {
        ...{ name: 'statement.jsonl', actor: 'ann', onProgress: () => undefined, ...PERIOD },
        bytes: inPieces(typeof statement === 'string' ? statement : jsonLines(statement)),
        ...options,
      });
    },
    async attentionOf(intentId: string): Promise<string | null> {
      const { rows } = await bed.database.query<{ readonly reason: string | null }>({
        text: `select ${OPEN_SENTENCES} as reason from payment_intents i where intent_id = $1`,
        values: [intentId],
      });
      return rows[0]?.reason ?? null;
    },
    close: () => bed.close(),
  };
}

/**
 * Uses the stores for each step. The payout is sent when the payment is authorized, except before a
 * cancel.
 */
async function aPayment(
  bed: TestBed,
  partner: TestPartner,
  options: PaymentOptions & { readonly status: PaymentStatus },
): Promise<IntentId> {
  const { at, cents, corridor, status } = { ...A_PAYMENT, ...options };
  const intent = { amountUsdCents: usdCents(cents), corridor };
  await bed.setNow(minutes(at));
  if (status === 'created' || status === 'expired') {
    return (await anIntent(bed, partner, { ...intent, status })).intentId;
  }
  const { intentId } = await anIntent(bed, partner, { ...intent, status: 'authorized' });
  await bed.funds.debit(intentId, intent.amountUsdCents);
  if (status !== 'cancelled') await recordSent(bed, intentId);
  await bed.setNow(minutes(options.capturedAt ?? at));
  for (const event of STEPS[status]) {
    const from = event === 'refund' ? 'captured' : 'authorized';
    await move(bed, intentId, event, { from });
  }
  return intentId;
}

const A_PAYMENT = { at: MIDDLE, cents: 1_250, corridor: 'th_qrpay' } as const;

const STEPS = {
  authorized: [],
  captured: ['capture'],
  failed: ['fail'],
  refunded: ['capture', 'refund'],
  cancelled: ['cancel'],
} as const;

interface Ordered {
  readonly account?: string;
  readonly minor?: number;
  readonly cost?: string | null;
  readonly fee?: string | null;
}

/** Makes the payout one that was ordered in baht at a real provider, with what that costs. */
export async function orderedInBaht(
  { bed: { database } }: Pick<ReconcileWorld, 'bed'>,
  intentId: string,
  { account = 'musepay/main', minor = 43_125, cost = '12.5000001', fee = '0.3' }: Ordered = {},
): Promise<void> {
  await database.query({
    text: `update payouts set account = $2, ordered_currency = 'THB', ordered_minor = $3,
                              cost_currency = 'USDT', cost_debited = $4::numeric,
                              cost_fee = $5::numeric where intent_id = $1`,
    values: [intentId, account, minor, cost, fee],
  });
}

/** A line of such a payout: the payee's amount and the cost instead of cents. */
export function bahtLineOf(
  intentId: string,
  { minor = 43_125, debited = '12.5000001', ...overrides }: BahtLine = {},
): StatedLine {
  const local = { currency: 'THB', amount: minor };
  const cost = { currency: 'USDT', debited };
  return lineOf(intentId, { amount_usd_cents: undefined, local, cost, ...overrides });
}

type BahtLine = Partial<StatedLine> & {
  readonly at?: number;
  readonly minor?: number;
  readonly debited?: string;
};

/** @param at minutes after {@link NOON} */
export function lineOf(
  intentId: string,
  { at = MIDDLE, ...overrides }: Partial<StatedLine> & { readonly at?: number } = {},
): StatedLine {
  return {
    key: `${intentId}:payout`,
    amount_usd_cents: 1_250,
    corridor: 'th_qrpay',
    executed_at: minutes(at).toISOString(),
    environment: 'sandbox',
    ...overrides,
  };
}

export function jsonLines(lines: readonly StatedLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Yields the bytes in small pieces, as a pipe does. */
export async function* inPieces(text: string | Buffer, size = 37): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    await new Promise(setImmediate);
    yield bytes.subarray(at, at + size);
  }
}

export function kindsIn({ findings }: Reconciled): readonly (readonly [string, string])[] {
  return findings.map(({ kind, payout_key: key }) => [kind, key] as const);
}

/**
 * Moves the payment after the books were read and before the findings are stored: the record of the
 * reconciliation is written first.
 */
export async function moveBeforeStoring(
  { bed: { database } }: Pick<ReconcileWorld, 'bed'>,
  intentId: string,
  to: string,
): Promise<void> {
  await database.query({
    text: `create function move_now() returns trigger language plpgsql as $$
           begin
             insert into intent_transitions (intent_id, from_status, to_status, at, actor)
             select intent_id, status, '${to}', service_now(), 'test'
               from payment_intents where intent_id = '${intentId}';
             update payment_intents
                set status = '${to}', captured_at = case '${to}' when 'captured' then service_now()
                                           when 'refunded' then captured_at end
              where intent_id = '${intentId}';
             return null;
           end $$`,
  });
  await database.query({
    text: `create trigger move_now after insert on reconciliations
             for each row execute function move_now()`,
  });
}
