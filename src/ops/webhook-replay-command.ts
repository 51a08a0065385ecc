// `payctl webhooks replay` (docs/operations.md): arguments, help, and what is printed.
import type { Command } from 'commander';
import { callUntil } from '../temporal/connection';
import { startDelivery } from '../temporal/webhook-start';
import { eventLines } from './intent-story-lines';
import { command, sentenceLines } from './layout';
import { AS_OPTION, operatorOf, REASON_OPTION, type OperatorOptions } from './operator';
import { parseInstant } from './option-values';
import { printRecord, printStory, tell } from './print';
import { inSession, type Session } from './session';
import { withTemporal } from './temporal';
import { requireEventId, type ShownWebhookEvent } from './webhook-event';
import {
  replayMany,
  replayOne,
  untilAttempted,
  type ReplayedMany,
  type ReplayWish,
} from './webhook-replay';

/** An attempt takes 15 s at most, and a worker takes a moment to begin it. */
const WAIT_MS = 20_000;

interface ReplayOptions extends OperatorOptions {
  readonly partner?: string;
  readonly since?: Date;
  readonly missing?: boolean;
  readonly wait: boolean;
  readonly json?: boolean;
}

export function addReplayCommand(webhooks: Command): void {
  webhooks
    .command('replay')
    .usage(
      '<event_id> [options] | --partner <partner> --missing | --partner <partner> --since <time>',
    )
    .description(
      'Send an event again, whatever became of it, or all that a partner did not get. The schedule of ten attempts begins anew; id and body stay the same. Refused while the endpoint is disabled.',
    )
    .argument('[event_id]', 'an event_id, which the partner knows as webhook-id')
    .option('--partner <partner>', 'of that partner_id, with --missing or --since')
    .option('--missing', 'all that it missed while its endpoint was disabled')
    .option(
      '--since <time>',
      'all that were missed or given up at or after it, such as 2026-03-02T12:00:00Z',
      parseInstant,
    )
    .option('--no-wait', 'do not wait for the first attempt of the event')
    .option(...REASON_OPTION)
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runReplay);
}

async function runReplay(
  eventId: string | undefined,
  options: ReplayOptions,
  replay: Command,
): Promise<void> {
  const { partner, since, missing } = options;
  const isBulk = [partner, since, missing].some((option) => option !== undefined);
  if (eventId !== undefined && !isBulk) {
    await runOne(eventId, options);
    return;
  }
  const wish = eventId === undefined ? wishOf(options) : undefined;
  if (wish === undefined) {
    replay.error('error: give one event_id, or --partner with either --missing or --since');
  }
  await runMany(wish, options);
}

function wishOf({ partner, since, missing = false }: ReplayOptions): ReplayWish | undefined {
  const isEither = missing !== (since !== undefined);
  return partner !== undefined && isEither ? { partnerId: partner, since } : undefined;
}

async function runOne(text: string, options: ReplayOptions): Promise<void> {
  const operator = operatorOf(options);
  const eventId = requireEventId(text);
  const event = await inSession(async (session) => {
    const replayed = await replayOne(session.database, eventId, operator);
    const isStarted = await start(session, replayed);
    return isStarted && options.wait ? waitFor(session, replayed) : replayed;
  });
  printStory(event, options.json === true, () => [
    ...eventLines(event),
    ...sentenceLines([
      'Look again, at the payment with its events:',
      command(`payctl intents show ${event.intent_id}`),
    ]),
  ]);
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

async function runMany(wish: ReplayWish, options: ReplayOptions): Promise<void> {
  const operator = operatorOf(options);
  const onProgress = (replayed: number) => {
    tell(`${replayed} events are owed again so far.`);
  };
  const replayed = await inSession(({ database }) =>
    replayMany({ database, onProgress }, wish, operator),
  );
  printRecord(replayed, options.json === true, sentencesOf(replayed));
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
