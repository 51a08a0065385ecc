// `payctl requests list`: the newest rejected requests in the log of the API, so that an operator
// finds the one that a partner asks about without its X-Request-Id.
import { notedTableLines } from '../layout';
import { LIMIT, parseInstant } from '../option-values';
import { option, verbAlone } from '../verb';
import { entriesWith, LOG, logsOf } from './request-log';
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
  filter: Filter,
): Promise<readonly RequestStory[]> {
  const { limit } = filter;
  let found: readonly RequestStory[] = [];
  for await (const entry of entriesWith(files, '"rejection":"')) {
    const story = toStory(textIn(entry, 'request_id') ?? '', [entry]);
    if (isListed(story, filter)) found = [...found, story];
    // Bounds the memory while a long log is read.
    if (found.length > 2 * limit) found = newestOf(found, limit);
  }
  return newestOf(found, limit);
}

/** An unknown key has no partner, but its id begins with the partner's. */
function isListed({ at, partner_id: id, key_id: keyId }: RequestStory, given: Filter): boolean {
  const { partner, since } = given;
  if (since !== undefined && (at ?? '') < since.toISOString()) return false;
  return partner === undefined || id === partner || keyId?.startsWith(`${partner}_`) === true;
}

function newestOf(found: readonly RequestStory[], limit: number): readonly RequestStory[] {
  return found.toSorted((a, b) => (b.at ?? '').localeCompare(a.at ?? '')).slice(0, limit);
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
