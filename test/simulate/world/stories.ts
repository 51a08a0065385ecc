// What people do to a payment: by its setting from the beginning, and at any step of a worker.
import { TTL_SECONDS, type Actors } from './actors';
import type { Choices } from '../choices';
import type { Operators } from './operators';
import type { Fibers } from './fibers';

interface Stage {
  readonly fibers: Fibers;
  readonly choices: Choices;
}

/** Everybody who does something to a payment. */
export interface People {
  readonly payer: Actors;
  readonly operators: Operators;
}

type Act = (people: People, fibers: Fibers) => Promise<void>;

const SOON_MS = 10_000;

/** From the beginning. The first token of every payer is `one`. */
const STORIES: Readonly<Record<string, Act>> = {
  'it is confirmed': async ({ payer }, fibers) => {
    await fibers.sleep(SOON_MS);
    await payer.confirm('one');
    await payer.read();
  },
  'it is confirmed twice, and cancelled': async ({ payer }, fibers) => {
    await fibers.sleep(SOON_MS);
    fibers.spawn('another confirm', 'people', () => payer.confirm('two'));
    fibers.spawn('a cancel', 'people', () => payer.cancel());
    await payer.confirm('one');
  },
  'it is never confirmed': async ({ payer }, fibers) => {
    await fibers.sleep(TTL_SECONDS * 1_000 + 1);
    await payer.read();
  },
  'it is confirmed at its deadline': async ({ payer }, fibers) => {
    await fibers.sleep(TTL_SECONDS * 1_000 - 15);
    await payer.confirm('one');
    await payer.read();
  },
  'it is cancelled': async ({ payer }, fibers) => {
    await fibers.sleep(SOON_MS);
    await payer.cancel();
    await payer.cancel();
  },
  'it is confirmed without waiting': async ({ payer }, fibers) => {
    await fibers.sleep(SOON_MS);
    await payer.confirm('one', { isWaiting: false });
    await payer.read();
  },
  'it is confirmed by an operator': async ({ operators }, fibers) => {
    await fibers.sleep(SOON_MS);
    await operators.confirm();
  },
  'it is confirmed, and refunded twice': async ({ payer, operators }, fibers) => {
    await fibers.sleep(SOON_MS);
    await payer.confirm('one');
    fibers.spawn('another refund', 'people', () => operators.refund());
    await operators.refund();
  },
};

/** At a step of a worker. */
const MESSAGES = {
  'the payer confirms with another token': ({ payer }: People) => payer.confirm('two'),
  'the payer confirms with the same token': ({ payer }: People) => payer.confirm('one'),
  'the partner cancels': ({ payer }: People) => payer.cancel(),
  'an operator confirms': ({ operators }: People) => operators.confirm(),
  'an operator resumes': ({ operators }: People) => operators.resume(),
  'an operator declares what the provider has done': ({ operators }: People) =>
    operators.declareTruth(),
  'an operator declares declined what was paid': ({ operators }: People) =>
    operators.declareFalsely(),
  'an operator stops payouts for 5 min': ({ operators }: People) => operators.stopPayouts(),
  'an operator terminates the workflow': ({ operators }: People) => operators.act('terminate'),
  'an operator resets the workflow': ({ operators }: People) => operators.act('reset'),
  'an operator cancels the workflow': ({ operators }: People) => operators.act('cancel'),
  'somebody reads it': ({ payer }: People) => payer.read(),
} as const;

export type Message = keyof typeof MESSAGES;
export const MESSAGE_NAMES = Object.keys(MESSAGES) as readonly Message[];

export function beginStory({ fibers, choices }: Stage, people: People): void {
  const story = choices.setting('the story', Object.keys(STORIES));
  fibers.spawn('people', 'people', async () => {
    await people.payer.create();
    await STORIES[story]?.(people, fibers);
  });
}

export function send({ fibers }: Stage, people: People, message: Message): void {
  fibers.spawn(message, 'people', async () => MESSAGES[message](people));
}
