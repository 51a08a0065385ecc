// What people do to a payment: by its setting from the beginning, and at any step of a worker.
import { EXPIRY_GRACE_MS } from '../../../src/domain/limits';
import { TTL_SECONDS, type Actors } from './actors';
import type { Choices } from '../run/choices';
import type { Backup } from './backup';
import type { Operators } from './operators';
import type { Progress } from './phases';
import type { Fibers } from './fibers';

interface Stage {
  readonly fibers: Fibers;
  readonly choices: Choices;
  readonly progress: Readonly<Progress>;
  readonly backup: Backup;
}

/** Everybody who does something to a payment. */
export interface People {
  readonly payer: Actors;
  readonly operators: Operators;
}

type Act = (people: People, fibers: Fibers) => Promise<void>;

const A_MOMENT_MS = 1_000;
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
    // Readers say that it has expired before the row does, a little later.
    await fibers.sleep(EXPIRY_GRACE_MS);
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
  'the partner repeats its create': ({ payer }: People) => payer.repeatCreate('as it was'),
  'somebody confirms without token and name': ({ operators }: People) =>
    operators.confirmNameless(),
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

export const WAITING_SETTING = 'while it waits';
/** What people do again and again, once payouts are stopped or attention is raised. */
const WHILE_IT_WAITS = {
  nothing: undefined,
  'the partner cancels': MESSAGES['the partner cancels'],
  'an operator resumes': MESSAGES['an operator resumes'],
  'an operator declares what the provider has done':
    MESSAGES['an operator declares what the provider has done'],
  'an operator declares declined what was paid':
    MESSAGES['an operator declares declined what was paid'],
  'an operator terminates the workflow': MESSAGES['an operator terminates the workflow'],
} as const;
/** Of a payment whose create Postgres has lost. */
const AFTER_A_LOSS = [
  'nothing',
  'as it was',
  'of another amount',
  'operators put its rows back',
] as const;
const CREATED_AGAIN = ['40 s later', '400 s later', '40 s later, and not confirmed'] as const;
const TIMES = 3;
const BETWEEN_MS = 40_000;

export type Message = keyof typeof MESSAGES;
export const MESSAGE_NAMES = Object.keys(MESSAGES) as readonly Message[];

export function beginStory(stage: Stage, people: People): void {
  const { fibers, choices, progress } = stage;
  const story = choices.setting('the story', Object.keys(STORIES));
  // A watch over restores has begun by then.
  fibers.spawnAt(fibers.nowMs + A_MOMENT_MS, 'people', 'people', async () => {
    await people.payer.create();
    await STORIES[story]?.(people, fibers);
  });
  const isStopped = choices.rareSetting('payouts', ['allowed', 'stopped for 5 min']) !== 'allowed';
  if (isStopped) fibers.spawn('a stop', 'people', () => people.operators.stopPayouts());
  if (stage.backup.phase === 'unwritten') createAgain(stage, people);
  const names = Object.keys(WHILE_IT_WAITS) as (keyof typeof WHILE_IT_WAITS)[];
  const act = WHILE_IT_WAITS[choices.rareSetting(WAITING_SETTING, names)];
  if (act === undefined) return;
  fibers.spawn('people who wait', 'people', async () => {
    await fibers.wait(() => ['held', 'attention'].includes(progress.phase));
    for (let times = 0; times < TIMES; times += 1) {
      await fibers.sleep(BETWEEN_MS);
      await act(people);
    }
  });
}

function createAgain({ fibers, choices, backup }: Stage, { payer }: People): void {
  const how = choices.setting('created again after a loss', AFTER_A_LOSS);
  if (how === 'nothing') return;
  const when = choices.setting('created again', CREATED_AGAIN);
  fibers.spawn('a create after a loss', 'people', async () => {
    await fibers.wait(() => backup.putBackAtMs !== undefined);
    await fibers.sleep(when === '400 s later' ? 400_000 : 40_000);
    if (how === 'operators put its rows back') return backup.bringBack();
    await payer.repeatCreate(how);
    if (when !== '40 s later, and not confirmed') await payer.confirm('three');
    await payer.read();
  });
}

export function send({ fibers }: Stage, people: People, message: Message): void {
  fibers.spawn(message, 'people', async () => MESSAGES[message](people));
}
