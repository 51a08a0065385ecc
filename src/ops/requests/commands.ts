// `payctl requests why` (docs/operations.md): arguments, help, and what is printed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { processEnvironment, readLocalDir } from '../../config';
import { recordAndSentences } from '../layout';
import { collect } from '../option-values';
import { Rejection } from '../rejection';
import { findRequestStory, requestSentences } from './story';
import { noun, option, verbAlone } from '../verb';

/** In sentences, so not in the list of members too. */
const SAID_BELOW = new Set(['means', 'advice']);

const why = verbAlone('why <request_id>', {
  does: 'Say why a request was refused, by its X-Request-Id and the log of the API: the answer itself does not tell a caller what is wrong with its credentials. Without --log it reads the log of the running sandbox.',
  options: [
    option('--log <file>', 'a log of the API; repeat for more, - for standard input').argParser(
      collect,
    ),
  ],
  work: (requestId: string, { log }: { readonly log?: readonly string[] }) =>
    findRequestStory(log ?? sandboxLogs(), requestId),
  lines(story) {
    const members = Object.entries(story).filter(([name]) => !SAID_BELOW.has(name));
    return recordAndSentences(Object.fromEntries(members), requestSentences(story));
  },
});

export const addRequestsCommands = noun('requests', 'What the API answered a request, and why.', [
  why,
]);

/** Of `npm start`: the one that was set aside, and the one that is written. */
function sandboxLogs(): readonly string[] {
  const environment = processEnvironment();
  const written = join(readLocalDir(environment), 'logs', 'api.log');
  const logs = environment['DATABASE_URL'] ? [] : [`${written}.1`, written].filter(existsSync);
  if (logs.length > 0) return logs;
  throw new Rejection(
    'There is no log of a sandbox to look in. Say with --log where the log of the API is, or pipe it in with --log -.',
  );
}
