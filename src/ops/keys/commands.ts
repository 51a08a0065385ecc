// `payctl keys`: the noun and its verbs.
import { noun } from '../verb';
import { issue } from './issue';
import { list } from './list';
import { reseal } from './reseal';
import { revoke } from './revoke';

export const addKeysCommands = noun('keys', 'Rotate signing keys, and the key that seals them.', [
  issue,
  list,
  revoke,
  reseal,
]);
