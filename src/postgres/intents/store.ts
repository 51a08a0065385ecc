// Port intent-store over Postgres. The larger statements have files of their own: create.ts,
// transition.ts.
import type { IntentId } from '../../domain/ids';
import type { IntentStatus } from '../../domain/intents/payment-intent';
import type { IntentStore } from '../../ports/intent-store';
import { createIntent } from './create';
import { readRows, type Database } from '../database';
import { createSignedReads } from './signed-reads';
import { INTENT_COLUMNS_AS_SEEN, STATUS_AS_SEEN, toPaymentIntent, type IntentRow } from './row';
import { answerCancel } from './cancel';
import { expireOverdue } from './expiry';
import { readCurrentState } from './current-state';
import { transitionIntent } from './transition';

interface IntentStoreOptions {
  readonly database: Database;
  readonly environment: string;
  /** A fresh id for a webhook event; it is used only if the transition writes one. */
  readonly makeEventId: () => string;
}

export function createIntentStore({
  database,
  environment,
  makeEventId,
}: IntentStoreOptions): IntentStore {
  return {
    create: (command) => createIntent(database, environment, command),
    transition: (command) => transitionIntent(database, command, makeEventId()),
    expireOverdue: (intentIds) => expireOverdue(database, intentIds, makeEventId),
    readCurrentState: (intentId) => readCurrentState(database, intentId),
    answerCancel: (intentId, requestId) => answerCancel(database, intentId, requestId),
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

    async setAttention(intentId, reason, isSettled = false) {
      await database.query({
        name: 'set-attention',
        text: `update payment_intents
                  set attention_reason = $2,
                      attention_since = coalesce(attention_since, service_now())
                where intent_id = $1 and ($3 or status in ('created', 'authorized'))`,
        values: [intentId, reason, isSettled],
      });
    },
  };
}
