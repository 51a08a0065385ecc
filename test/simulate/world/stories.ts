// What partner, payer and operators do to a payment: by a setting from the beginning, and at any
// step of a worker.
import { EXPIRY_GRACE_MS } from '../../../src/domain/limits';
import { TTL_SECONDS, type PartnerAndPayer } from './partner-and-payer';
import type { Choices } from '../run/choices';
import type { Backup } from './backup';
import type { Operators } from './operators';
import type { Progress } from './phases';
import type { Fibers } from './fibers';

interface StoryContext {
  readonly fibers: Fibers;
  readonly choices: Choices;
  readonly progress: Readonly<Progress>;
  readonly backup: Backup;
}

/** All who act on a payment. */
export interface Actors {
  readonly payer: PartnerAndPayer;
  readonly operators: Operators;
}

type Act = (actors: Actors, fibers: Fibers) => Promise<void>;

const A_MOMENT_MS = 1_000;
const SOON_MS = 10_000;

/** Stories from the beginning of a life. The first token of the payer is `one`. */
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
    // Readers show it as expired after a grace period, before the row is changed.
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

/** Messages that may come at any step of a worker. */
const MESSAGES = {
  'the payer confirms with another token': ({ payer }: Actors) => payer.confirm('two'),
  'the payer confirms with the same token': ({ payer }: Actors) => payer.confirm('one'),
  'the partner cancels': ({ payer }: Actors) => payer.cancel(),
  'the partner repeats its create': ({ payer }: Actors) => payer.repeatCreate('as it was'),
  'a confirm comes without token and operator': ({ operators }: Actors) =>
    operators.confirmWithoutOperator(),
  'an operator confirms': ({ operators }: Actors) => operators.confirm(),
  'an operator resumes': ({ operators }: Actors) => operators.resume(),
  'an operator resolves the payout as the provider did': ({ operators }: Actors) =>
    operators.resolveTruly(),
  'an operator resolves a paid payout as declined': ({ operators }: Actors) =>
    operators.resolveFalsely(),
  'an operator stops payouts for 5 min': ({ operators }: Actors) => operators.stopPayouts(),
  'an operator terminates the workflow': ({ operators }: Actors) => operators.act('terminate'),
  'an operator resets the workflow': ({ operators }: Actors) => operators.act('reset'),
  'an operator cancels the workflow': ({ operators }: Actors) => operators.act('cancel'),
  'the partner reads it': ({ payer }: Actors) => payer.read(),
  'the provider calls back': ({ operators }: Actors) => operators.callBack(),
  'an operator names the id of another payment': ({ operators }: Actors) => operators.nameWrongly(),
} as const;

export const WAITING_SETTING = 'while it waits';
/** Actions that are repeated while payouts are stopped or the payment needs attention. */
const WHILE_IT_WAITS = {
  nothing: undefined,
  'the partner cancels': MESSAGES['the partner cancels'],
  'an operator resumes': MESSAGES['an operator resumes'],
  'an operator resolves the payout as the provider did':
    MESSAGES['an operator resolves the payout as the provider did'],
  'an operator resolves a paid payout as declined':
    MESSAGES['an operator resolves a paid payout as declined'],
  'an operator terminates the workflow': MESSAGES['an operator terminates the workflow'],
  'the provider calls back': MESSAGES['the provider calls back'],
} as const;
/** What happens to a payment whose create Postgres has lost. */
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

export function beginStory(context: StoryContext, actors: Actors): void {
  const { fibers, choices, progress } = context;
  const story = choices.setting('the story', Object.keys(STORIES));
  // The restore watch has begun by then.
  fibers.spawnAt(fibers.nowMs + A_MOMENT_MS, 'people', 'people', async () => {
    await actors.payer.create();
    await STORIES[story]?.(actors, fibers);
  });
  const isStopped = choices.rareSetting('payouts', ['allowed', 'stopped for 5 min']) !== 'allowed';
  if (isStopped) fibers.spawn('a stop', 'people', () => actors.operators.stopPayouts());
  if (context.backup.phase === 'unwritten') createAgain(context, actors);
  const names = Object.keys(WHILE_IT_WAITS) as (keyof typeof WHILE_IT_WAITS)[];
  const act = WHILE_IT_WAITS[choices.rareSetting(WAITING_SETTING, names)];
  if (act === undefined) return;
  fibers.spawn('people who wait', 'people', async () => {
    await fibers.wait(() => ['delayed', 'attention'].includes(progress.phase));
    for (let times = 0; times < TIMES; times += 1) {
      await fibers.sleep(BETWEEN_MS);
      await act(actors);
    }
  });
}

function createAgain({ fibers, choices, backup }: StoryContext, { payer }: Actors): void {
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

export function send({ fibers }: StoryContext, actors: Actors, message: Message): void {
  fibers.spawn(message, 'people', async () => MESSAGES[message](actors));
}
