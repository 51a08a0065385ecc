// Where a row stands, and why a transition did not move it (architecture, section 3, rule R1).
import { parseCorridor } from '../domain/corridor';
import { RowMissing } from '../domain/errors';
import { parseEventId, type IntentId } from '../domain/ids';
import { parseIntentStatus } from '../domain/intent-transitions';
import { usdCents } from '../domain/money';
import type { IntentStatus } from '../domain/payment-intent';
import type {
  IntentStanding,
  PaymentTerms,
  TransitionCommand,
  TransitionReport,
} from '../domain/transition';
import type { Queryable } from './database';
import { IS_RESTORE_STOP_IN_FORCE, MUST_ASK_PROVIDER } from './restore-hold';

interface StandingRow {
  readonly status: string;
  readonly event_id: string | null;
  readonly amount_usd_cents: number;
  readonly corridor: string;
  readonly created_at: Date;
  readonly due_in_ms: number;
  readonly is_stopped: boolean;
  readonly must_ask_provider: boolean;
}

/** @throws RowMissing */
export async function readStanding(
  database: Queryable,
  intentId: IntentId,
): Promise<IntentStanding> {
  return standingOf(await readRow(database, intentId));
}

/**
 * The compare failed: says where the row stands, so that the workflow adopts it (rule R1).
 * @throws RowMissing
 */
export async function reportStanding(
  database: Queryable,
  command: TransitionCommand,
  target: IntentStatus,
): Promise<TransitionReport> {
  const row = await readRow(database, command.intentId);
  const standing = standingOf(row);
  const terms = termsOf(row);
  if (!isSame(terms, command.terms)) {
    return { ...standing, outcome: 'other_payment', terms, dueInMs: 0 };
  }
  const outcome = outcomeOf({ row, standing, command, target });
  const isDue = outcome !== 'not_due';
  return { ...standing, outcome, dueInMs: isDue ? 0 : Math.max(1, row.due_in_ms) };
}

async function readRow(database: Queryable, intentId: IntentId): Promise<StandingRow> {
  const { rows } = await database.query<StandingRow>({
    name: 'standing',
    text: `select i.status, e.event_id, i.amount_usd_cents, i.corridor, i.created_at,
                  ceil(extract(epoch from i.expires_at - service_now()) * 1000)::bigint as due_in_ms,
                  ${IS_RESTORE_STOP_IN_FORCE} as is_stopped, ${MUST_ASK_PROVIDER} as must_ask_provider
             from payment_intents i
             left join webhook_events e on e.intent_id = i.intent_id and e.type = 'payment_intent.' || i.status
                                        and e.state <> 'missed'
            where i.intent_id = $1`,
    values: [intentId],
  });
  const row = rows[0];
  if (row === undefined) throw new RowMissing(intentId);
  return row;
}

function standingOf(row: StandingRow): IntentStanding {
  return { status: parseIntentStatus(row.status), eventId: parseEventId(row.event_id) };
}

function termsOf(row: StandingRow): PaymentTerms {
  return {
    amountUsdCents: usdCents(row.amount_usd_cents),
    corridor: parseCorridor(row.corridor),
    createdAtMs: row.created_at.getTime(),
  };
}

function isSame(terms: PaymentTerms, expected: PaymentTerms | undefined): boolean {
  return (
    expected === undefined ||
    (terms.amountUsdCents === expected.amountUsdCents &&
      terms.corridor === expected.corridor &&
      terms.createdAtMs === expected.createdAtMs)
  );
}

interface Unmoved {
  readonly row: StandingRow;
  readonly standing: IntentStanding;
  readonly command: TransitionCommand;
  readonly target: IntentStatus;
}

function outcomeOf(unmoved: Unmoved): TransitionReport['outcome'] {
  const { row, standing, command, target } = unmoved;
  if (standing.status === target) return 'same';
  if (standing.status !== 'created') return whyNotFrom(standing.status, unmoved);
  // Before the deadline only the token's own can have kept it from moving.
  const isEnding = row.due_in_ms <= 0 || target === 'cancelled';
  const why = isEnding ? whyHeldBack(row, command) : undefined;
  return why ?? UNMOVED[target] ?? 'other';
}

/** An authorized payment is not cancelled during a stop for a restore, nor before the provider was asked. */
function whyNotFrom(status: IntentStatus, { row, command, target }: Unmoved) {
  if (target !== 'cancelled') return 'other';
  if (status === 'authorized') return whyHeldBack(row, command) ?? 'other';
  return row.is_stopped ? 'stopped' : 'other';
}

/** Of a created intent that is held back by nothing any more: an expiry is tried again. */
const UNMOVED: Partial<Record<IntentStatus, TransitionReport['outcome']>> = {
  authorized: 'token_refused',
  expired: 'not_due',
};

function whyHeldBack(
  { is_stopped: isStopped, must_ask_provider: mustAsk }: StandingRow,
  { isKnownUnpaid = false }: TransitionCommand,
): 'stopped' | 'unasked' | undefined {
  if (isStopped) return 'stopped';
  return mustAsk && !isKnownUnpaid ? 'unasked' : undefined;
}
