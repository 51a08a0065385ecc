// `payctl requests list`: the newest rejected requests in the log of the API, so that an operator
// finds the one that a partner asks about without its X-Request-Id.
import { notedTableLines } from '../layout';
import { LIMIT, parseInstant } from '../option-values';
import { option, verbAlone } from '../verb';
import { entriesWith, LOG, logsOf, type LogEntry } from './request-log';
import { textIn, toStory, type RequestStory } from './request-story';

interface ListOptions {
  readonly partner?: string;
  readonly since?: Date;
  readonly limit: number;
  readonly log?: readonly string[];
}

export const list = verbAlone('list', {
  does: 'List rejected requests, newest first, from the log of the API. A request without a valid key id or token names no partner: leave out --partner to find it.',
  options: [
    option('--partner <partner>', 'only requests that name this partner_id'),
    option('--since <time>', 'only requests at or after this time').argParser(parseInstant),
    LIMIT,
    LOG,
  ],
  work: (options: ListOptions) => findRejected(logsOf(options.log), options),
  lines: (stories) => (stories.length > 0 ? listLines(stories) : ['There is no such request.']),
});

type Filter = Omit<ListOptions, 'log'>;

/** @throws Rejection if a file cannot be read */
export async function findRejected(
  files: readonly string[],
  { partner, since, limit }: Filter,
): Promise<readonly RequestStory[]> {
  const earliest = since?.toISOString() ?? '';
  let newest: RequestStory[] = [];
  const isListed = (entry: LogEntry) =>
    (textIn(entry, 'time') ?? '') >= earliest && (partner === undefined || isOf(entry, partner));
  const keepNewest = () => {
    newest.sort((one, other) => (other.at ?? '').localeCompare(one.at ?? ''));
    newest = newest.slice(0, limit);
  };
  for await (const entry of entriesWith(files, '"rejection":"')) {
    if (isListed(entry)) newest.push(toStory(textIn(entry, 'request_id') ?? '', [entry]));
    // Bounds the memory while a long log is read.
    if (newest.length > 2 * limit) keepNewest();
  }
  keepNewest();
  return newest;
}

/** An unknown key has no partner, but its id begins with the partner's. */
function isOf(entry: LogEntry, partner: string): boolean {
  const keyId = textIn(entry, 'key_id') ?? '';
  return textIn(entry, 'partner_id') === partner || keyId.startsWith(`${partner}_`);
}

function listLines(stories: readonly RequestStory[]): readonly string[] {
  return notedTableLines(
    stories.map((story) => {
      const { request_id: request, at, status, rejection, method, route, seen_from: from } = story;
      const note = `${method ?? ''} ${route ?? ''}${from === null ? '' : `, from ${from}`}`;
      return { row: { request, at, status, rejection }, notes: [note] };
    }),
  );
}
