// `payctl webhooks`: the noun and its verbs.
import { noun } from '../verb';
import { disable } from './disable';
import { list } from './list';
import { replay } from './replay';
import { rotate } from './rotate';
import { set } from './set';

export const addWebhooksCommands = noun(
  'webhooks',
  'Set webhook endpoints, see which events partners did not get, and send them again.',
  [set, rotate, disable, list, replay],
);
