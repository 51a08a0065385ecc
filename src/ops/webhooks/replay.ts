// `payctl webhooks replay`: sends one event again, or all events that a partner did not get.
import { callUntil } from '../../temporal/connection';
import { startDelivery } from '../../temporal/starts';
import { eventLines } from '../intents/story-lines';
import { command, recordAndSentences, sentenceLines } from '../layout';
import { AS, operatorOf, REASON, type OperatorOptions } from '../operator';
import { parseInstant } from '../option-values';
import { printNotice } from '../print';
import { BadOption } from '../rejection';
import type { Session } from '../session';
import { noAnswer, withTemporal } from '../temporal';
import { option, verb } from '../verb';
import { requireEventId, type ShownWebhookEvent } from './event';
import {
  replayMany,
  replayOne,
  untilAttempted,
  type ReplayedMany,
  type ReplaySelection,
} from './replay-events';

/** An attempt takes at most 15 s, and a worker may begin it a little later. */
const WAIT_MS = 20_000;

interface ReplayOptions extends OperatorOptions {
  readonly partner?: string;
  readonly since?: Date;
  readonly wait: boolean;
}

type Replay = (session: Session) => Promise<ShownWebhookEvent | ReplayedMany>;

export const replay = verb('replay [event_id]', {
  usage: '<event_id> [options] | --partner <partner> [--since <time>] [options]',
  does: 'Send an event again, whatever its state, or all events that a partner did not get. The schedule of ten attempts starts again; id and body stay the same. It is rejected while the endpoint is disabled.',
  options: [
    option(
      '--partner <partner>',
      'all events of this partner_id that were skipped while its endpoint was disabled, or exhausted',
    ),
    option(
      '--since <time>',
      'only those skipped or exhausted at or after this time, such as 2026-03-02T12:00:00Z',
    ).argParser(parseInstant),
    option('--no-wait', 'do not wait for the first attempt of the event'),
    REASON,
    AS,
  ],
  work(eventId: string | undefined, options: ReplayOptions) {
    const { partner: partnerId, since } = options;
    if (eventId === undefined && partnerId !== undefined) {
      return replayEvents({ partnerId, since }, options);
    }
    if (eventId !== undefined && partnerId === undefined && since === undefined) {
      return replayEvent(eventId, options);
    }
    throw new BadOption('Give one event_id, or --partner with or without --since.');
  },
  lines: (replayed) =>
    'event_id' in replayed
      ? [
          ...eventLines(replayed),
          ...sentenceLines([
            'To see the payment with its events:',
            command(`payctl intents show ${replayed.intent_id}`),
          ]),
        ]
      : recordAndSentences(replayed, sentencesOf(replayed)),
});

function replayEvent(text: string, options: ReplayOptions): Replay {
  const operator = operatorOf(options);
  const eventId = requireEventId(text);
  return async (session) => {
    const replayed = await replayOne(session.database, eventId, operator);
    const isStarted = await startNow(session, replayed);
    return isStarted && options.wait ? waitFor(session, replayed) : replayed;
  };
}

function replayEvents(selection: ReplaySelection, options: ReplayOptions): Replay {
  const operator = operatorOf(options);
  const onProgress = (replayed: number) => {
    printNotice(`${replayed} events are pending again so far.`);
  };
  return ({ database }) => replayMany({ database, onProgress }, selection, operator);
}

/** Even if Temporal does not answer, the event is pending now, and will be sent. */
async function startNow(session: Session, event: ShownWebhookEvent): Promise<boolean> {
  const { event_id: eventId, intent_id: intentId, partner_id: partnerId } = event;
  try {
    await withTemporal(session, ({ client, deadline }) =>
      callUntil(client, deadline, () =>
        startDelivery(client, { eventId, intentId, partnerId }, { isReplay: true }),
      ),
    );
    return true;
  } catch (error) {
    printNotice(
      `${noAnswer(error)}. ${eventId} is pending, and a worker sends it within two minutes.`,
    );
    return false;
  }
}

async function waitFor(
  { database }: Session,
  event: ShownWebhookEvent,
): Promise<ShownWebhookEvent> {
  const after = await untilAttempted(database, event, AbortSignal.timeout(WAIT_MS));
  if (after.attempts.length === event.attempts.length) {
    printNotice(
      `No attempt has ended within ${WAIT_MS / 1_000} s. ${event.event_id} stays pending. Is a worker running?`,
    );
  }
  return after;
}

function sentencesOf({ partner_id, replayed, under_way, older }: ReplayedMany): readonly string[] {
  const left = [
    under_way > 0 &&
      `${under_way} are being sent at this moment and were not changed. Repeat the command for them.`,
    older > 0 && `${older} were exhausted or skipped before that time and stay so.`,
  ].filter((sentence) => sentence !== false);
  const pending = command(`payctl webhooks list ${partner_id} --state pending`);
  if (replayed === 0) {
    const none = 'No event was to be sent again. Pending ones are sent by themselves:';
    return [none, pending, ...left];
  }
  return [
    'Workers send them now, as fast as the endpoint accepts them.',
    'Watch "pending" go down, and see which events are still pending:',
    command('payctl webhooks list'),
    pending,
    ...left,
  ];
}
