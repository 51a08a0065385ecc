// What anybody with Temporal's CLI can send to a payment: nothing of it is done in the payer's name, and none of it fails the
// payment's tasks for ever (record 131). What was sent is undone by nobody, so each payment must go on after it.
import { MALFORMED, PAYMENT_WORKFLOW, PAYMENTS_QUEUE } from '../../workflows/messages/messages';
import { declared, withPayment, withUnknownPayment, type StartedWorld } from './started-payment';

/** As `temporal workflow signal-with-start` does. */
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

/** The payer may still confirm, and no task of the workflow has failed: a payment that fails its tasks stands still. */
async function expectToGoOn({ confirm, run }: StartedWorld): Promise<void> {
  await expect(confirm()).resolves.toEqual({ status: 'captured' });
  await expect(failedTasksOf(run)).resolves.toEqual([]);
}

async function failedTasksOf(run: StartedWorld['run']) {
  const { events } = await run.fetchHistory();
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

it('a confirm signal without an operator and a reason is ignored, and the payer may still confirm', () =>
  withPayment(async (world) => {
    for (const args of WITHOUT_OPERATOR) await signalWithStart(world, 'confirm', args);
    await expectToGoOn(world);
    await expect(world.trail()).resolves.toEqual([
      { to: 'authorized', actor: 'payer', reason: null },
      { to: 'captured', actor: 'system', reason: null },
    ]);
  }));

it('of a confirm signal operator and reason count, and nothing beside them', () =>
  withPayment(async (world) => {
    const operator = { actor: 'ann', reason: 'the payer called' };
    const more = {
      event: 'cancel',
      token: { partnerId: 'x' },
      intentId: 'another',
      from: 'captured',
    };
    await signalWithStart(world, 'confirm', [{ ...operator, ...more }]);
    await expect(world.run.result()).resolves.toBe('captured');
    const [authorized] = await world.trail();
    expect(authorized).toEqual({ to: 'authorized', ...operator });
  }));

it('a resume with anything in it is a resume', () =>
  withPayment(async (world) => {
    for (const args of [[], [null], [{}], [[7]], [{ toString: 1 }]]) {
      await signalWithStart(world, 'resume', args);
    }
    await expectToGoOn(world);
  }));

const UNDECODABLE = [
  ['json/plain', '{'],
  ['json/protobuf', '{}'],
  ['of/nobody', 'x'],
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
  { run }: StartedWorld,
  update: string,
  given: readonly unknown[],
): Promise<void> {
  for (const argument of given) {
    const asked = run.executeUpdate(update, { args: [argument] });
    await expect(asked).rejects.toMatchObject({ cause: { type: MALFORMED } });
  }
}

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
  withPayment(async (world) => {
    await expectRejected(world, 'confirm', NO_CONFIRM_REQUESTS);
    await expectToGoOn(world);
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
  withUnknownPayment({}, async (world) => {
    await expectRejected(world, 'resolvePayout', NO_RESOLUTIONS);
    await expect(world.resolve(declared('paid'))).resolves.toMatchObject({ rejection: null });
    await expect(world.row()).resolves.toMatchObject({ status: 'captured' });
    await expect(failedTasksOf(world.run)).resolves.toEqual([]);
  }));

const NO_CLOSINGS: readonly unknown[] = [
  ...[undefined, null, {}, { actor: 'ann' }],
  { actor: 'payer', evidence: 'the list of the provider' },
];

it('a closing of a lost payment without operator and evidence is rejected, and the payer may still confirm', () =>
  withPayment(async (world) => {
    await expectRejected(world, 'closeLost', NO_CLOSINGS);
    await expectToGoOn(world);
  }));
