// The model of Temporal is held to the real server: the same schedule gives the history that the server has recorded
// (test/replay/histories), event by event.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bracket } from '../support/brackets';
import { scripted, type Script } from './run/choices';
import { live } from './life';
import { openLaboratory } from './world/laboratory';

const FOLDER = join(__dirname, '..', 'replay', 'histories');
const RESPOND_ASYNC = { 'the story': 'it is confirmed without waiting' };

const laboratory = bracket(openLaboratory, (opened) => opened.close());

/** `EVENT_TYPE_TIMER_FIRED` is `TimerFired`. */
function recordedEvents(name: string): readonly string[] {
  const text = readFileSync(join(FOLDER, `${name}.json`), 'utf8');
  const { events } = JSON.parse(text) as { readonly events: readonly { eventType: string }[] };
  return events.map(({ eventType }) =>
    eventType
      .replace('EVENT_TYPE_', '')
      .split('_')
      .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
      .join(''),
  );
}

const WAYS: Readonly<Record<string, Script>> = {
  captured: {},
  'captured-by-a-fast-endpoint': { 'the endpoint has been': 'fast' },
  'failed-declined': { 'the provider': 'declines' },
  cancelled: { 'the story': 'it is cancelled' },
  expired: { 'the story': 'it is never confirmed' },
  'confirmed-by-operator': { 'the story': 'it is confirmed by an operator' },
  'captured-after-pending': { 'the provider': 'pays after 3 s' },
  'captured-after-silence': { 'provider.pay #1': 'its answer is lost' },
  'captured-after-attention': { ...RESPOND_ASYNC, 'the provider': 'pays and is silent for 2 min' },
  'captured-after-a-stop': {
    ...RESPOND_ASYNC,
    'the worker, where recordTransition ends #1': 'an operator stops payouts for 5 min',
  },
  'failed-after-pending': { 'the provider': 'declines after 30 s' },
  refunded: {
    'the story': 'it is confirmed, and refunded twice',
    'Temporal: update refund #2': 'the call is lost',
  },
};

const REMINDER = [
  'WorkflowExecutionSignaled',
  'WorkflowTaskScheduled',
  'WorkflowTaskStarted',
  'WorkflowTaskCompleted',
];

/**
 * A payment that is waited for gets more of them the longer that takes, which is another time in a recorded sandbox. Once attention
 * is raised each has it written again.
 */
function withoutReminders(events: readonly string[] = []): readonly string[] {
  return events
    .join(' ')
    .replaceAll(` ${[...REMINDER, 'MarkerRecorded'].join(' ')}`, '')
    .replaceAll(` ${REMINDER.join(' ')}`, '')
    .split(' ');
}

test.each(Object.entries(WAYS))(
  'the history of %s is that of the real server',
  async (name, script) => {
    const { histories } = await live(laboratory, scripted(script));
    const type = name === 'refunded' ? 'refundIntent' : 'paymentIntent';
    const ours = histories.find((one) => one.type === type)?.events;
    expect(withoutReminders(ours)).toEqual(withoutReminders(recordedEvents(name)));
  },
);
