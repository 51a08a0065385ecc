// What anybody with Temporal's CLI can send to a payment: nothing of it is done in the payer's name, and none of it fails the
// payment's tasks for ever (record 131). What was sent is undone by nobody, so each payment must go on after it.
import type { PaymentStart } from '../../src/domain/payment-start';
import {
  MALFORMED,
  PAYMENT_WORKFLOW,
  PAYMENTS_QUEUE,
  paymentWorkflowId,
} from '../../workflows/messages';
import { inPaymentWorld, type PaymentWorld } from '../support/payment-world';
import { anUnknownPayment, declared, endingOf } from './declarations';

/** As `temporal workflow signal-with-start` does. */
function signalWithStart(
  { environment }: PaymentWorld,
  payment: PaymentStart,
  { signal, args }: { readonly signal: string; readonly args: readonly unknown[] },
) {
  return environment.client.workflow.signalWithStart(PAYMENT_WORKFLOW, {
    workflowId: paymentWorkflowId(payment.intentId),
    taskQueue: PAYMENTS_QUEUE,
    args: [payment],
    signal,
    signalArgs: [...args],
  });
}

async function trailOf({ database }: PaymentWorld): Promise<readonly unknown[]> {
  const { rows } = await database.query({
    text: 'select to_status as to, actor, reason from intent_transitions order by at',
  });
  return rows;
}

/** No task of it may have failed: a payment that fails its tasks stands still. */
async function failedTasksOf({ environment }: PaymentWorld, { intentId }: PaymentStart) {
  const { events = [] } = await environment.client.workflow.getHandle(intentId).fetchHistory();
  return (events ?? []).filter(({ workflowTaskFailedEventAttributes: failed }) => failed);
}

const WITHOUT_OPERATOR: readonly (readonly unknown[])[] = [
  [],
  [null],
  ['ann'],
  [7],
  [[]],
  [['ann', 'the payer called']],
  [{}],
  [{ actor: 'ann' }],
  [{ reason: 'the payer called' }],
  [{ actor: '', reason: 'the payer called' }],
  [{ actor: ' ', reason: 'the payer called' }],
  [{ actor: 'ann', reason: ' ' }],
  [{ actor: 'ann', reason: 'a'.repeat(501) }],
  [{ actor: 'a'.repeat(65), reason: 'the payer called' }],
  [{ actor: { name: 'ann' }, reason: ['the payer called'] }],
  ...['payer', 'Partner', 'SYSTEM', 'payer '].map((actor) => [{ actor, reason: 'x' }]),
];

it('a confirm signal without an operator and a reason is ignored, and the payer may still confirm', () =>
  inPaymentWorld(async (world) => {
    const payment = await world.create();
    for (const args of WITHOUT_OPERATOR) {
      await signalWithStart(world, payment, { signal: 'confirm', args });
    }
    await expect(world.confirm(payment)).resolves.toEqual({ status: 'captured' });
    await expect(trailOf(world)).resolves.toEqual([
      { to: 'authorized', actor: 'payer', reason: null },
      { to: 'captured', actor: 'system', reason: null },
    ]);
    await expect(failedTasksOf(world, payment)).resolves.toEqual([]);
  }));

it('of a confirm signal operator and reason count, and nothing beside them', () =>
  inPaymentWorld(async (world) => {
    const payment = await world.create();
    const more = {
      event: 'cancel',
      token: { partnerId: 'x' },
      intentId: 'another',
      from: 'captured',
    };
    const args = [{ actor: 'ann', reason: 'the payer called', ...more }];
    const run = await signalWithStart(world, payment, { signal: 'confirm', args });
    await expect(run.result()).resolves.toBe('captured');
    const [authorized] = await trailOf(world);
    expect(authorized).toEqual({ to: 'authorized', actor: 'ann', reason: 'the payer called' });
  }));

it('a resume with anything in it is a resume', () =>
  inPaymentWorld(async (world) => {
    const payment = await world.create();
    for (const args of [[], [null], [{}], [[7]], [{ toString: 1 }]]) {
      await signalWithStart(world, payment, { signal: 'resume', args });
    }
    await expect(world.confirm(payment)).resolves.toEqual({ status: 'captured' });
    await expect(failedTasksOf(world, payment)).resolves.toEqual([]);
  }));

const UNDECODABLE = [
  ['json/plain', '{'],
  ['json/protobuf', '{}'],
  ['of/nobody', 'x'],
] as const;

it.each(['confirm', 'resume'])(
  'a %s signal that cannot be decoded fails no task, and the payer may still confirm',
  (signalName) =>
    inPaymentWorld(async (world) => {
      const payment = await world.create();
      await world.start(payment);
      for (const [encoding, data] of UNDECODABLE) {
        const payload = { metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) };
        await world.environment.client.workflowService.signalWorkflowExecution({
          namespace: world.environment.client.options.namespace,
          workflowExecution: { workflowId: payment.intentId },
          signalName,
          input: { payloads: [payload] },
        });
      }
      await expect(world.confirm(payment)).resolves.toEqual({ status: 'captured' });
      await expect(failedTasksOf(world, payment)).resolves.toEqual([]);
    }),
);

const TOKEN = {
  partnerId: 'siam-travel',
  jtiHash: 'cd'.repeat(32),
  expiresAtMs: 4_000_000_000_000,
};
const NO_CONFIRM_REQUESTS: readonly unknown[] = [
  { waitForOutcome: true },
  undefined,
  null,
  'confirm',
  { token: null, waitForOutcome: true },
  { token: TOKEN },
  { token: { ...TOKEN, partnerId: undefined }, waitForOutcome: true },
  { token: { ...TOKEN, partnerId: 'Not an id' }, waitForOutcome: true },
  { token: { ...TOKEN, jtiHash: 'no hash' }, waitForOutcome: true },
  { token: { ...TOKEN, expiresAtMs: 'tomorrow' }, waitForOutcome: true },
  { token: { ...TOKEN, expiresAtMs: 9e15 }, waitForOutcome: true },
];

it('a confirm update without a whole token is rejected, and the payer may still confirm', () =>
  inPaymentWorld(async (world) => {
    const payment = await world.create();
    const run = await world.start(payment);
    for (const argument of NO_CONFIRM_REQUESTS) {
      const asked = run.executeUpdate('confirm', { args: [argument] });
      await expect(asked).rejects.toMatchObject({ cause: { type: MALFORMED } });
    }
    await expect(world.confirm(payment)).resolves.toEqual({ status: 'captured' });
    await expect(failedTasksOf(world, payment)).resolves.toEqual([]);
  }));

const NO_RESOLUTIONS: readonly unknown[] = [
  { ...declared('paid'), actor: 'payer' },
  undefined,
  null,
  'declined',
  { ...declared('paid'), outcome: undefined },
  { ...declared('paid'), outcome: 'cancelled' },
  { ...declared('paid'), actor: null },
  { ...declared('paid'), evidence: '' },
  { ...declared('declined'), isProviderGone: 'yes' },
];

it('a resolution without outcome, operator and evidence is rejected, and operations may still resolve', () =>
  inPaymentWorld({ provider: ['unknown'] }, async (world) => {
    const { payment, run, resolve } = await anUnknownPayment(world);
    for (const argument of NO_RESOLUTIONS) {
      const asked = run.executeUpdate('resolvePayout', { args: [argument] });
      await expect(asked).rejects.toMatchObject({ cause: { type: MALFORMED } });
    }
    await expect(resolve(declared('paid'))).resolves.toMatchObject({ refusal: null });
    await expect(endingOf(world)).resolves.toMatchObject({ status: 'captured' });
    await expect(failedTasksOf(world, payment)).resolves.toEqual([]);
  }));

it('a closing of a lost payment without operator and evidence is rejected, and the payer may still confirm', () =>
  inPaymentWorld(async (world) => {
    const payment = await world.create();
    const run = await world.start(payment);
    for (const argument of [undefined, null, {}, { actor: 'ann' }, { ...ANN, actor: 'payer' }]) {
      const asked = run.executeUpdate('closeLost', { args: [argument] });
      await expect(asked).rejects.toMatchObject({ cause: { type: MALFORMED } });
    }
    await expect(world.confirm(payment)).resolves.toEqual({ status: 'captured' });
    await expect(failedTasksOf(world, payment)).resolves.toEqual([]);
  }));

const ANN = { actor: 'ann', evidence: 'the list of the provider' };
