// Malformed messages that Temporal's CLI can send to a payment: none acts in the payer's name, and
// none fails the payment's workflow tasks for ever (decision 131). Each payment must go on
// afterwards.
import { MALFORMED, PAYMENT_WORKFLOW, PAYMENTS_QUEUE } from '../../workflows/messages/messages';
import { aResolution, withPayment, withUnknownPayment, type StartedWorld } from './started-payment';

/** Sends a signal as `temporal workflow signal-with-start` does. */
async function signalWithStart(
  { environment, payment }: StartedWorld,
  signal: string,
  signalArgs: unknown[],
): Promise<void> {
  await environment.client.workflow.signalWithStart(PAYMENT_WORKFLOW, {
    workflowId: payment.intentId,
    taskQueue: PAYMENTS_QUEUE,
    args: [payment],
    signal,
    signalArgs,
  });
}

/** The payer may still confirm, and no workflow task has failed: a failing task would block it. */
async function expectToGoOn({ confirm, workflow }: StartedWorld): Promise<void> {
  await expect(confirm()).resolves.toEqual({ status: 'captured' });
  await expect(failedTasksOf(workflow)).resolves.toEqual([]);
}

async function failedTasksOf(workflow: StartedWorld['workflow']) {
  const { events } = await workflow.fetchHistory();
  return (events ?? []).filter(({ workflowTaskFailedEventAttributes: failed }) => failed);
}

const WITHOUT_OPERATOR: readonly unknown[][] = [
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

it('a confirm signal without an operator and a reason is ignored', () =>
  withPayment(async (world) => {
    for (const args of WITHOUT_OPERATOR) await signalWithStart(world, 'confirm', args);
    // Answered once the signals were handled: the payer's confirm must not come first.
    await world.workflow.query('__temporal_workflow_metadata');
    await expectToGoOn(world);
    await expect(world.trail()).resolves.toEqual([
      { to: 'authorized', actor: 'payer', reason: null },
      { to: 'captured', actor: 'system', reason: null },
    ]);
  }));

it('a confirm signal uses operator and reason, and ignores all other members', () =>
  withPayment(async (world) => {
    const operator = { actor: 'ann', reason: 'the payer called' };
    const more = {
      event: 'cancel',
      token: { partnerId: 'x' },
      intentId: 'another',
      from: 'captured',
    };
    await signalWithStart(world, 'confirm', [{ ...operator, ...more }]);
    await expect(world.workflow.result()).resolves.toBe('captured');
    const [authorized] = await world.trail();
    expect(authorized).toEqual({ to: 'authorized', ...operator });
  }));

it('a resume signal with unknown arguments fails no task', () =>
  withPayment(async (world) => {
    for (const args of [[], [null], [{}], [[7]], [{ toString: 1 }]]) {
      await signalWithStart(world, 'resume', args);
    }
    await expectToGoOn(world);
  }));

const UNDECODABLE = [
  ['json/plain', '{'],
  ['json/protobuf', '{}'],
  ['of/unknown', 'x'],
] as const;

it.each(['confirm', 'resume'])(
  'a %s signal that cannot be decoded fails no task, and the payer may still confirm',
  (signalName) =>
    withPayment(async (world) => {
      const { client } = world.environment;
      for (const [encoding, data] of UNDECODABLE) {
        const payload = { metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) };
        await client.workflowService.signalWorkflowExecution({
          namespace: client.options.namespace,
          workflowExecution: { workflowId: world.payment.intentId },
          signalName,
          input: { payloads: [payload] },
        });
      }
      await expectToGoOn(world);
    }),
);

async function expectRejected(
  { workflow }: StartedWorld,
  update: string,
  given: readonly unknown[],
): Promise<void> {
  for (const argument of given) {
    const reply = workflow.executeUpdate(update, { args: [argument] });
    await expect(reply).rejects.toMatchObject({ cause: { type: MALFORMED } });
  }
}

const TOKEN = {
  partnerId: 'siam-travel',
  jtiHash: 'cd'.repeat(32),
  expiresAtMs: 4_000_000_000_000,
};
const MALFORMED_CONFIRMS: readonly unknown[] = [
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

it('a confirm update without a valid token is rejected', () =>
  withPayment(async (world) => {
    await expectRejected(world, 'confirm', MALFORMED_CONFIRMS);
    await expectToGoOn(world);
  }));

const MALFORMED_RESOLUTIONS: readonly unknown[] = [
  { ...aResolution('paid'), actor: 'payer' },
  undefined,
  null,
  'declined',
  { ...aResolution('paid'), outcome: undefined },
  { ...aResolution('paid'), outcome: 'cancelled' },
  { ...aResolution('paid'), actor: null },
  { ...aResolution('paid'), evidence: '' },
  { ...aResolution('declined'), isProviderGone: 'yes' },
];

it('a resolution without outcome, operator and evidence is rejected', () =>
  withUnknownPayment({}, async (world) => {
    await expectRejected(world, 'resolvePayout', MALFORMED_RESOLUTIONS);
    await expect(world.resolve(aResolution('paid'))).resolves.toMatchObject({ rejection: null });
    await expect(world.row()).resolves.toMatchObject({ status: 'captured' });
    await expect(failedTasksOf(world.workflow)).resolves.toEqual([]);
  }));

const MALFORMED_CLOSINGS: readonly unknown[] = [
  ...[undefined, null, {}, { actor: 'ann' }],
  { actor: 'payer', evidence: 'the statement of the provider' },
];

it('a closing of a lost payment without operator and evidence is rejected', () =>
  withPayment(async (world) => {
    await expectRejected(world, 'closeLost', MALFORMED_CLOSINGS);
    await expectToGoOn(world);
  }));
