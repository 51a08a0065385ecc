// `payctl requests why` (docs/operations.md): arguments, help, and what is printed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { processEnvironment, readLocalDir } from '../config';
import { collect } from './option-values';
import { printStory } from './print';
import { Refusal } from './refusal';
import { recordLines, sentenceLines } from './layout';
import { findRequestStory, requestSentences } from './request-story';

/** In sentences, so not in the list of members too. */
const SAID_BELOW = new Set(['means', 'advice']);

interface WhyOptions {
  readonly log?: readonly string[];
  readonly json?: boolean;
}

export function addRequestsCommands(payctl: Command): void {
  const requests = payctl
    .command('requests')
    .description('What the API answered a request, and why.');
  requests
    .command('why')
    .description(
      'Say why a request was refused, by its X-Request-Id and the log of the API: the answer itself does not tell a caller what is wrong with its credentials. Without --log it reads the log of the running sandbox.',
    )
    .argument('<request_id>', 'the X-Request-Id of the answer')
    .option('--log <file>', 'a log of the API; repeat for more, - for standard input', collect)
    .option('--json', 'print JSON')
    .action(runWhy);
}

async function runWhy(requestId: string, { log, json }: WhyOptions): Promise<void> {
  const story = await findRequestStory(log ?? sandboxLogs(), requestId);
  printStory(story, json === true, () => {
    const members = Object.entries(story).filter(([name]) => !SAID_BELOW.has(name));
    return [...recordLines(Object.fromEntries(members)), ...sentenceLines(requestSentences(story))];
  });
}

/** Of `npm start`: the one that was set aside, and the one that is written. */
function sandboxLogs(): readonly string[] {
  const environment = processEnvironment();
  const written = join(readLocalDir(environment), 'logs', 'api.log');
  const logs = environment['DATABASE_URL'] ? [] : [`${written}.1`, written].filter(existsSync);
  if (logs.length > 0) return logs;
  throw new Refusal(
    'There is no log of a sandbox to look in. Say with --log where the log of the API is, or pipe it in with --log -.',
  );
}
