// The stack trace of a waiting workflow in the Temporal UI: the line at which it waits, one frame
// per promise (decision 126), on a real Temporal server.
import { openLiveSetup, type LiveSetup } from '../faults/live/setup';

let scene: LiveSetup;
beforeAll(async () => {
  scene = await openLiveSetup({ hasStackTraces: true });
});
afterAll(() => scene.close());

it('the stack trace of a waiting workflow names the waiting lines, one per promise', async () => {
  const { world, payer } = scene;
  const intent = await payer.create();
  const hold = world.holds.hold(intent.intentId, 'payOut');
  const confirming = payer.confirm(intent);
  await hold.begun;
  const workflow = world.client.workflow.getHandle(intent.intentId);
  const trace = await workflow.query<string>('__stack_trace');
  hold.release();
  await confirming;
  expect(trace).toMatch(/at payOutInFirstTask .*workflows\/payout\.ts:\d+/);
  expect(trace).toMatch(/at onConfirm .*workflows\/messages\/handlers\.ts:\d+/);
  const frames = trace.split('\n\n').map((wait) => wait.match(/ at /g)?.length);
  expect(frames).toEqual(Array(11).fill(1));
});
