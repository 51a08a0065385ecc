// `payctl requests`: the noun and its verb.
import { noun } from '../verb';
import { why } from './why';

export const addRequestsCommands = noun('requests', 'Explain what the API answered, and why.', [
  why,
]);
