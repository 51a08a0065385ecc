// `payctl intents`: the noun and its verbs.
import { noun } from '../verb';
import { acknowledge } from './acknowledge';
import { closeLost } from './close-lost';
import { confirm } from './confirm';
import { list } from './list';
import { refund } from './refund';
import { resolve } from './resolve';
import { resume } from './resume';
import { show } from './show';

export const addIntentsCommands = noun(
  'intents',
  'Find payments, see what each waits for, and take the decisions that need an operator.',
  [show, list, refund, resolve, confirm, resume, acknowledge, closeLost],
);
