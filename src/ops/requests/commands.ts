// `payctl requests` and `payctl token`: the nouns and their verbs.
import { noun } from '../verb';
import { explain } from './explain-token';
import { why } from './why';

export const addRequestsCommands = noun('requests', 'Explain what the API answered, and why.', [
  why,
]);

export const addTokenCommands = noun('token', 'Explain session tokens.', [explain]);
