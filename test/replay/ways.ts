// Drives the usual ways that a payment can go, to record their histories. rare-ways.ts has those
// with faults and operators.
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
import type { SandboxDriver } from './driver';

export interface Driven {
  readonly workflowId: string;
  /** The workflow stays open, and its history is recorded so far. */
  readonly isOpen?: boolean;
}

export type Drive = (driver: SandboxDriver) => Promise<Driven>;

/** Amounts of src/sandbox/scenarios.ts by history name. */
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

export const [PLAIN, NEVER_KNOWN, AMOUNT_MISMATCH] = [1_250, 40_005, 40_008];

export const WAYS: Readonly<Record<string, Drive>> = {
  ...Object.fromEntries(Object.entries(CONFIRMED).map(([name, cents]) => [name, confirmed(cents)])),
  'captured-with-code': async ({ create, confirm }) => {
    const intent = await create(PLAIN);
    await confirm(intent, { qrPayload: aThaiCode() });
    return { workflowId: intent.intentId };
  },
  refunded: async (driver) => {
    const { workflowId } = await confirmed(PLAIN)(driver);
    return refund(driver, workflowId);
  },
  'refund-rejected': async (driver) => {
    const { workflowId } = await confirmed(CONFIRMED['failed-declined'])(driver);
    return refund(driver, workflowId);
  },
  'resolved-as-declined': async (driver) => ({
    ...(await resolved(NEVER_KNOWN, 'declined')(driver)),
    // The workflow stays open for a day.
    isOpen: true,
  }),
  'resolved-as-paid': resolved(AMOUNT_MISMATCH, 'paid'),
  'confirmed-by-operator': confirmedByOperator,
  cancelled: async ({ create, partner }) => {
    const { intentId } = await create(PLAIN);
    await partner.cancelIntent(intentId);
    return { workflowId: intentId };
  },
  expired: async ({ create }) => ({ workflowId: (await create(PLAIN)).intentId }),
  'captured-by-a-fast-endpoint': capturedByAFastEndpoint,
};

export async function capturedByAFastEndpoint(driver: SandboxDriver): Promise<Driven> {
  for (let made = 0; made < WEBHOOK_FAST_ANSWERS_MIN; made += 1) {
    const { workflowId } = await confirmed(PLAIN)(driver);
    await driver.temporal.workflow.getHandle(workflowId).result();
  }
  return confirmed(PLAIN)(driver);
}

export function confirmed(amountUsdCents: number): Drive {
  return async ({ create, confirm }) => {
    const intent = await create(amountUsdCents);
    await confirm(intent);
    return { workflowId: intent.intentId };
  };
}

async function refund({ temporal }: SandboxDriver, id: string): Promise<Driven> {
  const [intentId, partnerId] = [parseIntentId(id), parsePartnerId('recorded')];
  if (intentId === undefined || partnerId === undefined)
    throw new Error('invalid intent id or partner id');
  const intent = { partnerId, corridor: 'th_qrpay', amountUsdCents: usdCents(PLAIN) } as const;
  const recorded = { requestId: 'recorded', actor: 'recorded', reason: 'recorded' };
  await requestRefund(temporal, { intentId, intent, ...recorded }, AbortSignal.timeout(10_000));
  return { workflowId: refundWorkflowId(intentId) };
}

/**
 * Operators resolve the payout once the workflow waits for them; `npm start` raises attention after
 * 15 s.
 */
function resolved(amountUsdCents: number, outcome: 'paid' | 'declined'): Drive {
  return async (driver) => {
    const driven = await confirmed(amountUsdCents)(driver);
    await driver.resolvePayout(driven.workflowId, outcome);
    return driven;
  };
}

async function confirmedByOperator({ create, temporal }: SandboxDriver): Promise<Driven> {
  const { intentId } = await create(PLAIN);
  const run = temporal.workflow.getHandle(intentId);
  const isSent = () =>
    run.signal(operatorConfirmSignal, { actor: 'recorded', reason: 'recorded' }).then(
      () => true,
      () => false,
    );
  await until(isSent, { timeoutMs: 10_000 });
  // A signal alone does not end the start delay, but this update does, although it is rejected.
  await run
    .executeUpdate(resolvePayoutUpdate, {
      args: [{ outcome: 'paid', actor: 'recorded', evidence: 'recorded' }],
    })
    .catch(() => undefined);
  return { workflowId: intentId };
}
