// Records one history per way a payment can go, from a running sandbox: `INTENT_TTL_SECONDS=10 npm start` in one
// terminal, `npm run record:histories [-- NAME…]` in another. The replay test then holds today's workflows to them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { until } from '../../src/dev/until';
import { parseIntentId, parsePartnerId } from '../../src/domain/ids';
import { usdCents } from '../../src/domain/money';
import { createClient, mintSessionToken, type Intent } from '../../src/sdk';
import { requestRefund } from '../../src/temporal/refund-start';
import {
  operatorConfirmSignal,
  refundWorkflowId,
  resolvePayoutUpdate,
} from '../../workflows/messages';
import { readSandbox, type Sandbox } from '../support/sandbox';

const FOLDER = join(__dirname, 'histories');

/** The amounts of src/sandbox/scenarios.ts, by the way they make a payment go. */
const CONFIRMED = {
  captured: 1250,
  'failed-declined': 40001,
  'captured-after-silence': 40002,
  'captured-after-errors': 40003,
  'captured-after-pending': 40004,
  'failed-insufficient-funds': 40006,
  'captured-after-reset': 40007,
} as const;

async function record(): Promise<void> {
  const sandbox = readSandbox();
  const temporal = new Client({
    connection: await Connection.connect({ address: sandbox.temporal_address }),
  });
  const chosen = process.argv.slice(2);
  for (const [name, drive] of Object.entries(WAYS)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    await save(temporal, name, await drive(sandbox, temporal));
  }
  await temporal.connection.close();
}

/** Drives one payment that way; answers the id of the run that is recorded. */
type Drive = (sandbox: Sandbox, temporal: Client) => Promise<string>;

const WAYS: Readonly<Record<string, Drive>> = {
  ...Object.fromEntries(Object.entries(CONFIRMED).map(([name, cents]) => [name, confirmed(cents)])),
  refunded: refund,
  'resolved-as-declined': resolved(40_005, 'declined'),
  'resolved-as-paid': resolved(40_008, 'paid'),
  'confirmed-by-operator': confirmedByOperator,
  cancelled: async (sandbox) => {
    const { intentId } = await create(sandbox, 1250);
    await clientOf(sandbox).cancelIntent(intentId);
    return intentId;
  },
  expired: async (sandbox) => (await create(sandbox, 1250)).intentId,
};

function confirmed(amountUsdCents: number): Drive {
  return async (sandbox) => {
    const intent = await create(sandbox, amountUsdCents);
    await confirm(sandbox, intent);
    return intent.intentId;
  };
}

async function refund(sandbox: Sandbox, temporal: Client): Promise<string> {
  const intentId = parseIntentId(await confirmed(1250)(sandbox, temporal));
  const partnerId = parsePartnerId(sandbox.partners[0].partner_id);
  if (intentId === undefined || partnerId === undefined) throw new Error('the sandbox has no ids');
  const intent = { partnerId, corridor: 'th_qrpay', amountUsdCents: usdCents(1250) } as const;
  const recorded = { requestId: 'recorded', actor: 'recorded', reason: 'recorded' };
  await requestRefund(temporal, { intentId, intent, ...recorded }, AbortSignal.timeout(10_000));
  return refundWorkflowId(intentId);
}

/** Declared by operations once the run waits for them; `npm start` raises attention after 15 s. */
function resolved(amountUsdCents: number, outcome: 'paid' | 'declined'): Drive {
  return async (sandbox, temporal) => {
    const intentId = await confirmed(amountUsdCents)(sandbox, temporal);
    const declaration = { outcome, actor: 'recorded', evidence: 'recorded' } as const;
    const declare = () =>
      temporal.workflow
        .getHandle(intentId)
        .executeUpdate(resolvePayoutUpdate, { args: [declaration] })
        .then(
          () => true,
          () => false,
        );
    if (await until(declare, { timeoutMs: 60_000, everyMs: 1_000 })) return intentId;
    throw new Error(`${intentId} never waited for operations`);
  };
}

async function confirmedByOperator(sandbox: Sandbox, temporal: Client): Promise<string> {
  const { intentId } = await create(sandbox, 1250);
  await pause(500);
  const run = temporal.workflow.getHandle(intentId);
  await run.signal(operatorConfirmSignal, { actor: 'recorded', reason: 'recorded' });
  // A signal alone does not end the start delay: the refused declaration does.
  await run
    .executeUpdate(resolvePayoutUpdate, {
      args: [{ outcome: 'paid', actor: 'recorded', evidence: 'recorded' }],
    })
    .catch(() => undefined);
  return intentId;
}

function clientOf({ base_url: baseUrl, partners: [partner] }: Sandbox) {
  return createClient({ baseUrl, keyId: partner.key_id, signingSecret: partner.signing_secret });
}

function create(sandbox: Sandbox, amountUsdCents: number): Promise<Intent> {
  return clientOf(sandbox).createIntent({
    partnerUserId: 'recorded',
    amountUsdCents,
    corridor: 'th_qrpay',
  });
}

async function confirm({ base_url, partners: [partner] }: Sandbox, intent: Intent): Promise<void> {
  const at = new Date();
  const token = await mintSessionToken({
    issuer: partner.issuer,
    kid: partner.session_kid,
    privateKeyPem: partner.session_private_key_pem,
    subject: 'recorded',
    intent,
    kycAttestation: { verified: true, method: 'document', verifiedAt: at },
    sanctionsAttestation: { clean: true, screenedAt: at },
  });
  const reply = await fetch(`${base_url}/v1/payment_intents/${intent.intentId}/confirm`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  if (reply.status !== 200) throw new Error(`confirm answered ${String(reply.status)}`);
}

/** A run that compares for a day what operations declared is recorded as it stands. */
const STAYS_OPEN = 'resolved-as-declined';

/** Waits for the run to end, its webhook included, and keeps its history without the names of machines. */
async function save(temporal: Client, name: string, workflowId: string): Promise<void> {
  const handle = temporal.workflow.getHandle(workflowId);
  // The run may be started a moment after the create was answered.
  await pause(500);
  if (name !== STAYS_OPEN) await handle.result();
  const recorded: unknown = JSON.parse(historyToJSON(await handle.fetchHistory()));
  const text = JSON.stringify(recorded, withoutTheMachine, 1);
  writeFileSync(join(FOLDER, `${name}.json`), `${text}\n`);
  process.stdout.write(`${name}: ${workflowId}\n`);
}

/** Names of machines and paths on them tell a replay nothing. */
function withoutTheMachine(key: string, value: unknown): unknown {
  return key === 'identity' || key === 'stackTrace' ? 'not recorded' : value;
}

void record();
