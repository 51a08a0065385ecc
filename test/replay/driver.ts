// Drives payments on a running sandbox while their histories are recorded: its API, Temporal,
// database, and faults.
import { Client, Connection } from '@temporalio/client';
import { Client as PostgresClient } from 'pg';
import { readLocalDir } from '../../src/config/config';
import {
  readSandboxFile,
  type Sandbox,
  type SandboxPartner,
} from '../../src/dev/demo/sandbox-file';
import { mintSandboxToken } from '../../src/dev/demo/sandbox-partner';
import { until } from '../../src/dev/until';
import { parseIntentId } from '../../src/domain/ids';
import { toPaymentStart, type PaymentStart } from '../../src/domain/intents/payment-start';
import type { IntentStore } from '../../src/ports/intents';
import { createDatabase, type Database } from '../../src/postgres/database';
import { createIntentStore } from '../../src/postgres/intents/store';
import { createClient, type Intent } from '../../src/sdk';
import { recordResolution } from '../../src/postgres/payouts/resolutions';
import { resolvePayoutUpdate, type Resolution } from '../../workflows/messages/messages';
import { anEventId } from '../support/builders';

const WAIT = { timeoutMs: 120_000, everyMs: 50 };
/** The partner's user id, which no history may contain. */
export const PARTNER_USER_ID = 'a-user-that-no-history-holds';

export interface SandboxDriver {
  readonly temporal: Client;
  readonly database: Database;
  readonly intents: IntentStore;
  create(amountUsdCents: number): Promise<Intent>;
  /** Waits for the outcome by default; otherwise only for the authorization. */
  confirm(intent: Intent, how?: ConfirmOptions): Promise<void>;
  /** Waits until the intent's row fulfils the SQL condition. */
  until(intentId: string, condition: string): Promise<void>;
  /**
   * Resolves the payout manually, and retries until the workflow verifies it. Returns the
   * rejection, or null.
   */
  resolvePayout(intentId: string, outcome: Resolution['outcome']): Promise<string | null>;
  paymentOf(intentId: string): Promise<PaymentStart>;
  /** Blocks every statement on intents during the work. */
  whileIntentsWait(work: () => Promise<void>): Promise<void>;
  /** Blocks changes of the intent's row during the work. */
  whileRowWaits(intentId: string, work: () => Promise<void>): Promise<void>;
  /** Waits until a statement waits for a lock. */
  untilAStatementWaits(): Promise<void>;
  /** By SIGKILL; the local stack starts it again. */
  killWorker(): void;
  close(): Promise<void>;
}

interface ConfirmOptions {
  readonly isAwaited?: boolean;
  readonly qrPayload?: string;
}

export async function openSandboxDriver(): Promise<SandboxDriver> {
  const sandbox = readSandboxFile(readLocalDir());
  const [payee] = sandbox?.partners ?? [];
  if (sandbox === undefined || payee === undefined)
    throw new Error('no sandbox is running; start one by npm start');
  const connection = await Connection.connect({ address: sandbox.temporal_address });
  const temporal = new Client({ connection });
  const onLostConnection = () => undefined;
  const database = createDatabase({ url: sandbox.database_url, poolSize: 2, onLostConnection });
  const store = { database, environment: 'sandbox', makeEventId: anEventId };
  const intents = createIntentStore(store);
  const parts = { sandbox, payee, temporal, database, intents };
  return {
    temporal,
    database,
    intents,
    ...payerOf(parts),
    ...watchOf(parts),
    whileIntentsWait: (work) =>
      whileLocked(sandbox, 'lock table payment_intents in access exclusive mode', work),
    whileRowWaits: (intentId, work) =>
      whileLocked(
        sandbox,
        `select from payment_intents where intent_id = '${intentId}' for update`,
        work,
      ),
    killWorker: () => process.kill(pidOf(sandbox, 'worker'), 'SIGKILL'),
    async close() {
      await connection.close();
      await database.close();
    },
  };
}

interface DriverParts extends Pick<SandboxDriver, 'temporal' | 'database' | 'intents'> {
  readonly sandbox: Sandbox;
  readonly payee: SandboxPartner;
}

function payerOf({ sandbox, payee }: DriverParts): Pick<SandboxDriver, 'create' | 'confirm'> {
  const { key_id: keyId, signing_secret: signingSecret } = payee;
  const client = createClient({ baseUrl: sandbox.base_url, keyId, signingSecret });
  const urlOf = ({ intentId }: Intent) => `${sandbox.base_url}/v1/payment_intents/${intentId}`;
  const bearer = async (intent: Intent) => ({
    authorization: `Bearer ${await mintSandboxToken(payee, PARTNER_USER_ID, intent)}`,
  });
  return {
    create: (amountUsdCents) =>
      client.createIntent({ partnerUserId: PARTNER_USER_ID, amountUsdCents, corridor: 'th_qrpay' }),
    async confirm(intent, { isAwaited = true, qrPayload } = {}) {
      const reply = await fetch(`${urlOf(intent)}/confirm`, {
        method: 'POST',
        headers: {
          ...(await bearer(intent)),
          ...(!isAwaited && { prefer: 'respond-async' }),
          ...(qrPayload !== undefined && { 'content-type': 'application/json' }),
        },
        ...(qrPayload !== undefined && { body: JSON.stringify({ qr_payload: qrPayload }) }),
      });
      if (reply.status !== 200) throw new Error(`confirm answered ${String(reply.status)}`);
    },
  };
}

function watchOf({
  temporal,
  database,
  intents,
}: DriverParts): Pick<
  SandboxDriver,
  'until' | 'untilAStatementWaits' | 'resolvePayout' | 'paymentOf'
> {
  return {
    async until(intentId, condition) {
      const text = `select from payment_intents i where intent_id = $1 and ${condition}`;
      const isSo = async () =>
        (await database.query({ text, values: [intentId] })).rows.length === 1;
      if (!(await until(isSo, WAIT))) throw new Error(`${intentId} never fulfilled: ${condition}`);
    },
    async untilAStatementWaits() {
      const text = `select from pg_stat_activity
                     where datname = current_database() and wait_event_type = 'Lock'`;
      const isSo = async () => (await database.query({ text })).rows.length > 0;
      if (!(await until(isSo, WAIT))) throw new Error('no statement ever waited for a lock');
    },
    async resolvePayout(intentId, outcome) {
      let rejection: string | null | undefined;
      const resolution = { outcome, actor: 'recorded', evidence: 'recorded' };
      const recordedId = parseIntentId(intentId);
      if (recordedId !== undefined) await recordResolution(database, recordedId, resolution);
      const isVerified = async () => {
        const workflow = temporal.workflow.getHandle(intentId);
        const replying = workflow.executeUpdate(resolvePayoutUpdate, { args: [resolution] });
        rejection = await replying.then(
          (reply) => reply.rejection,
          () => undefined,
        );
        return rejection !== undefined;
      };
      if (!(await until(isVerified, WAIT)) || rejection === undefined) {
        throw new Error(`${intentId} never waited for operators`);
      }
      return rejection;
    },
    async paymentOf(id) {
      const intentId = parseIntentId(id);
      const intent = intentId === undefined ? undefined : await intents.find(intentId);
      if (intent === undefined) throw new Error(`there is no intent ${id}`);
      return toPaymentStart(intent);
    },
  };
}

function pidOf({ processes }: Sandbox, wanted: string): number {
  const { pid } = processes.find(({ name }) => name === wanted) ?? {};
  if (pid === undefined) throw new Error(`no process ${wanted} is running`);
  return pid;
}

async function whileLocked(
  { database_url: connectionString }: Sandbox,
  held: string,
  work: () => Promise<void>,
): Promise<void> {
  const locker = new PostgresClient({ connectionString });
  await locker.connect();
  try {
    await locker.query('begin');
    await locker.query(held);
    await work();
  } finally {
    await locker.query('rollback');
    await locker.end();
  }
}
