// The ways a payment can go, each driven for its history. Those that faults and operators lead to are in rare-ways.ts.
import { parseIntentId, parsePartnerId } from '../../src/domain/ids';
import { WEBHOOK_FAST_ANSWERS_MIN } from '../../src/domain/limits';
import { usdCents } from '../../src/domain/money';
import { requestRefund } from '../../src/temporal/refund-start';
import {
  operatorConfirmSignal,
  refundWorkflowId,
  resolvePayoutUpdate,
} from '../../workflows/messages/messages';
import { until } from '../../src/dev/until';
import { aThaiCode } from '../support/payments/qr-codes';
import type { Stage } from './stage';

export interface Driven {
  readonly workflowId: string;
  /** A run that stays open is recorded as it stands. */
  readonly isOpen?: boolean;
}

export type Drive = (stage: Stage) => Promise<Driven>;

/** The amounts of src/sandbox/scenarios.ts, by the way they make a payment go. */
const CONFIRMED = {
  captured: 1250,
  'failed-declined': 40_001,
  'captured-after-silence': 40_002,
  'captured-after-errors': 40_003,
  'captured-after-pending': 40_004,
  'failed-insufficient-funds': 40_006,
  'captured-after-reset': 40_007,
  'failed-after-pending': 40_009,
} as const;

export const [PLAIN, NEVER_KNOWN, CONTRARY] = [1_250, 40_005, 40_008];

export const WAYS: Readonly<Record<string, Drive>> = {
  ...Object.fromEntries(Object.entries(CONFIRMED).map(([name, cents]) => [name, confirmed(cents)])),
  'captured-with-code': async ({ create, confirm }) => {
    const intent = await create(PLAIN);
    await confirm(intent, { qrPayload: aThaiCode() });
    return { workflowId: intent.intentId };
  },
  refunded: async (stage) => {
    const { workflowId } = await confirmed(PLAIN)(stage);
    return refund(stage, workflowId);
  },
  'refund-refused': async (stage) => {
    const { workflowId } = await confirmed(CONFIRMED['failed-declined'])(stage);
    return refund(stage, workflowId);
  },
  'resolved-as-declined': async (stage) => ({
    ...(await resolved(NEVER_KNOWN, 'declined')(stage)),
    // For a day.
    isOpen: true,
  }),
  'resolved-as-paid': resolved(CONTRARY, 'paid'),
  'confirmed-by-operator': confirmedByOperator,
  cancelled: async ({ create, partner }) => {
    const { intentId } = await create(PLAIN);
    await partner.cancelIntent(intentId);
    return { workflowId: intentId };
  },
  expired: async ({ create }) => ({ workflowId: (await create(PLAIN)).intentId }),
  'captured-by-a-fast-endpoint': capturedByAFastEndpoint,
};

async function capturedByAFastEndpoint(stage: Stage): Promise<Driven> {
  for (let made = 0; made < WEBHOOK_FAST_ANSWERS_MIN; made += 1) {
    const { workflowId } = await confirmed(PLAIN)(stage);
    await stage.temporal.workflow.getHandle(workflowId).result();
  }
  return confirmed(PLAIN)(stage);
}

export function confirmed(amountUsdCents: number): Drive {
  return async ({ create, confirm }) => {
    const intent = await create(amountUsdCents);
    await confirm(intent);
    return { workflowId: intent.intentId };
  };
}

async function refund({ temporal }: Stage, id: string): Promise<Driven> {
  const [intentId, partnerId] = [parseIntentId(id), parsePartnerId('recorded')];
  if (intentId === undefined || partnerId === undefined) throw new Error('these are no ids');
  const intent = { partnerId, corridor: 'th_qrpay', amountUsdCents: usdCents(PLAIN) } as const;
  const recorded = { requestId: 'recorded', actor: 'recorded', reason: 'recorded' };
  await requestRefund(temporal, { intentId, intent, ...recorded }, AbortSignal.timeout(10_000));
  return { workflowId: refundWorkflowId(intentId) };
}

/** Declared by operations once the run waits for them; `npm start` raises attention after 15 s. */
function resolved(amountUsdCents: number, outcome: 'paid' | 'declined'): Drive {
  return async (stage) => {
    const driven = await confirmed(amountUsdCents)(stage);
    await stage.declare(driven.workflowId, outcome);
    return driven;
  };
}

async function confirmedByOperator({ create, temporal }: Stage): Promise<Driven> {
  const { intentId } = await create(PLAIN);
  const run = temporal.workflow.getHandle(intentId);
  const isSent = () =>
    run.signal(operatorConfirmSignal, { actor: 'recorded', reason: 'recorded' }).then(
      () => true,
      () => false,
    );
  await until(isSent, { timeoutMs: 10_000 });
  // A signal alone does not end the start delay: the refused declaration does.
  await run
    .executeUpdate(resolvePayoutUpdate, {
      args: [{ outcome: 'paid', actor: 'recorded', evidence: 'recorded' }],
    })
    .catch(() => undefined);
  return { workflowId: intentId };
}
