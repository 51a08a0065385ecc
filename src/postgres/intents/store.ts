// Port `IntentStore` over Postgres. The larger statements have files of their own: create.ts,
// transition.ts.
import type { IntentId } from '../../domain/ids';
import type { IntentStatus } from '../../domain/intents/payment-intent';
import type { IntentStore, PayoutReceipt } from '../../ports/intents';
import { isWorkflowGone, raiseAttention } from './attention';
import { createIntent } from './create';
import { readOne, readRows, type Database } from '../database';
import { createSignedReads } from './signed-reads';
import { INTENT_COLUMNS_AS_SEEN, STATUS_AS_SEEN, toPaymentIntent, type IntentRow } from './row';
import { answerCancel } from './cancel';
import { expireOverdue } from './expiry';
import { readCurrentState, transitionIntent } from './transition';

interface IntentStoreOptions {
  readonly database: Database;
  readonly environment: string;
  /** A fresh id for a webhook event; it is used only if the transition writes one. */
  readonly makeEventId: () => string;
}

const CAPTURE = { from: 'authorized', event: 'capture', actor: 'system', isPaid: true } as const;

export function createIntentStore({
  database,
  environment,
  makeEventId,
}: IntentStoreOptions): IntentStore {
  return {
    create: (command) => createIntent(database, environment, command),
    // Whatever a workflow has put into the command, it does not count as an answer.
    transition: (command) =>
      transitionIntent(database, { ...command, isPaid: false }, makeEventId()),
    capturePaid: (intentId, terms, details) =>
      transitionIntent(database, { ...CAPTURE, intentId, terms, details }, makeEventId()),
    expireOverdue: (intentIds) => expireOverdue(database, intentIds, makeEventId),
    readCurrentState: (intentId, terms) => readCurrentState(database, intentId, terms),
    isWorkflowGone: (intentId) => isWorkflowGone(database, intentId),
    answerCancel: (intentId, requestId) => answerCancel(database, intentId, requestId),
    readReceipt: (intentId, status) => readReceipt(database, intentId, status),
    findSigned: createSignedReads(database, environment),

    async find(intentId) {
      const [row] = await readRows<IntentRow>(database, {
        name: 'find-intent',
        text: `select ${INTENT_COLUMNS_AS_SEEN} from payment_intents i where i.intent_id = $1`,
        values: [intentId],
      });
      return row && toPaymentIntent(row);
    },

    async statuses(intentIds) {
      const rows = await readRows<{ readonly id: IntentId; readonly status: IntentStatus }>(
        database,
        {
          name: 'statuses',
          text: `select i.intent_id as id, ${STATUS_AS_SEEN} from payment_intents i
                  where i.intent_id = any ($1)`,
          values: [intentIds],
        },
      );
      return new Map(rows.map(({ id, status }) => [id, status]));
    },

    setAttention: (intentId, attention, isSettled = false) =>
      raiseAttention(database, intentId, attention, isSettled),
  };
}

async function readReceipt(database: Database, intentId: IntentId, status: IntentStatus) {
  const { receipt } = await readOne<{ readonly receipt: PayoutReceipt }>(database, {
    name: 'read-receipt',
    text: `select payout_summary(p.*, $2)::jsonb || jsonb_build_object('at', rfc3339(t.at)) as receipt
             from payment_intents i
             left join intent_transitions t on t.intent_id = i.intent_id and t.to_status = $2
             left join payouts p on p.intent_id = i.intent_id
            where i.intent_id = $1`,
    values: [intentId, status],
  });
  return receipt;
}
