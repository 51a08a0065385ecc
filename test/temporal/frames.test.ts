// What a developer is shown of a run that waits: the line it waits at, one frame of each promise (decision 126), on a real Temporal server.
import { openLiveScene, type LiveScene } from '../faults/live/setup';

let scene: LiveScene;
beforeAll(async () => {
  scene = await openLiveScene({ hasStackTraces: true });
}, 60_000);
afterAll(() => scene.close());

it('the stack trace of a run that waits names the lines that wait, one of each promise', async () => {
  const { world, payer } = scene;
  const intent = await payer.create();
  const hold = world.holds.hold(intent.intentId, 'payOut');
  const confirming = payer.confirm(intent);
  await hold.begun;
  const run = world.client.workflow.getHandle(intent.intentId);
  const trace = await run.query<string>('__stack_trace');
  hold.letGo();
  await confirming;
  expect(trace).toMatch(/at payOutInFirstTask .*workflows\/payout\.ts:\d+/);
  expect(trace).toMatch(/at onConfirm .*workflows\/message-handlers\.ts:\d+/);
  const frames = trace.split('\n\n').map((wait) => wait.match(/ at /g)?.length);
  expect(frames).toEqual(Array(9).fill(1));
});
