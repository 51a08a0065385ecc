// `payctl webhooks replay` (docs/operations.md): arguments, help, and what is printed.
import { callUntil } from '../../temporal/connection';
import { startDelivery } from '../../temporal/webhook-start';
import { eventLines } from '../intents/story-lines';
import { command, recordAndSentences, sentenceLines } from '../layout';
import { AS, operatorOf, REASON, type OperatorOptions } from '../operator';
import { parseInstant } from '../option-values';
import { tell } from '../print';
import { BadOption } from '../rejection';
import type { Session } from '../session';
import { withTemporal } from '../temporal';
import { option, verb } from '../verb';
import { requireEventId, type ShownWebhookEvent } from './event';
import {
  replayMany,
  replayOne,
  untilAttempted,
  type ReplayedMany,
  type ReplaySelection,
} from './replay-events';

/** An attempt takes 15 s at most, and a worker takes a moment to begin it. */
const WAIT_MS = 20_000;

interface ReplayOptions extends OperatorOptions {
  readonly partner?: string;
  readonly since?: Date;
  readonly missing?: boolean;
  readonly wait: boolean;
}

type Replay = (session: Session) => Promise<ShownWebhookEvent | ReplayedMany>;

export const replay = verb('replay [event_id]', {
  usage:
    '<event_id> [options] | --partner <partner> --missing | --partner <partner> --since <time>',
  does: 'Send an event again, whatever became of it, or all that a partner did not get. The schedule of ten attempts begins anew; id and body stay the same. Refused while the endpoint is disabled.',
  options: [
    option('--partner <partner>', 'of that partner_id, with --missing or --since'),
    option('--missing', 'all that it missed while its endpoint was disabled'),
    option(
      '--since <time>',
      'all that were missed or given up at or after it, such as 2026-03-02T12:00:00Z',
    ).argParser(parseInstant),
    option('--no-wait', 'do not wait for the first attempt of the event'),
    REASON,
    AS,
  ],
  work(eventId: string | undefined, options: ReplayOptions) {
    const { partner, since, missing } = options;
    const isMany = [partner, since, missing].some((given) => given !== undefined);
    if (eventId !== undefined && !isMany) return replayEvent(eventId, options);
    const selection = eventId === undefined ? selectionOf(options) : undefined;
    if (selection !== undefined) return replayEvents(selection, options);
    throw new BadOption('give one event_id, or --partner with either --missing or --since');
  },
  lines: (replayed) =>
    'event_id' in replayed
      ? [
          ...eventLines(replayed),
          ...sentenceLines([
            'Look again, at the payment with its events:',
            command(`payctl intents show ${replayed.intent_id}`),
          ]),
        ]
      : recordAndSentences(replayed, sentencesOf(replayed)),
});

function selectionOf({
  partner,
  since,
  missing = false,
}: ReplayOptions): ReplaySelection | undefined {
  const isEither = missing !== (since !== undefined);
  return partner !== undefined && isEither ? { partnerId: partner, since } : undefined;
}

function replayEvent(text: string, options: ReplayOptions): Replay {
  const operator = operatorOf(options);
  const eventId = requireEventId(text);
  return async (session) => {
    const replayed = await replayOne(session.database, eventId, operator);
    const isStarted = await start(session, replayed);
    return isStarted && options.wait ? waitFor(session, replayed) : replayed;
  };
}

function replayEvents(selection: ReplaySelection, options: ReplayOptions): Replay {
  const operator = operatorOf(options);
  const onProgress = (replayed: number) => {
    tell(`${replayed} events are owed again so far.`);
  };
  return ({ database }) => replayMany({ database, onProgress }, selection, operator);
}

/** Whatever Temporal says, the event is owed by now and will be sent. */
async function start({ config }: Session, event: ShownWebhookEvent): Promise<boolean> {
  const { event_id: eventId, intent_id: intentId, partner_id: partnerId } = event;
  try {
    await withTemporal(config, ({ client, deadline }) =>
      callUntil(client, deadline, () =>
        startDelivery(client, { eventId, intentId, partnerId }, { isReplay: true }),
      ),
    );
    return true;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    tell(
      `Temporal gave no answer (${why}). ${eventId} is owed, and a worker sends it within two minutes.`,
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
    tell(
      `No attempt has ended within ${WAIT_MS / 1_000} s. ${event.event_id} stays owed. Is a worker running?`,
    );
  }
  return after;
}

function sentencesOf({ partner_id, replayed, under_way }: ReplayedMany): readonly string[] {
  const left =
    under_way === 0
      ? []
      : [`${under_way} are being sent at this moment and were left as they are: repeat for them.`];
  if (replayed === 0) return ['There was nothing to send again.', ...left];
  return [
    'Workers send them now, as fast as the endpoint takes them.',
    'Watch "owed" go down, and see what is still owed:',
    command('payctl webhooks list'),
    command(`payctl webhooks list ${partner_id} --state owed`),
    ...left,
  ];
}
