// `payctl partners`: the noun and its verbs.
import { noun } from '../verb';
import { create } from './create';
import { eraseUser } from './erase-user';
import { list } from './list';
import { set } from './set';
import { show } from './show';

export const addPartnersCommands = noun(
  'partners',
  'Register partners, and change what they were registered with.',
  [create, set, list, show, eraseUser],
);
