// `payctl requests why`: what a request was answered and why, from the log of the API. The response
// to rejected credentials says nothing but its X-Request-Id (protocol 8.3).
import { recordAndSentences } from '../layout';
import { Rejection } from '../rejection';
import { verbAlone } from '../verb';
import { findInLogs, LOG, logsOf, type FoundLines } from './request-log';
import { toStory, type RequestStory } from './request-story';

/** Members that are printed as sentences, so not in the list of members too. */
const PRINTED_BELOW = new Set(['means', 'advice']);

export const why = verbAlone('why <request_id>', {
  does: 'Explain why a request was rejected, from its X-Request-Id and the log of the API. The response itself does not say what is wrong with the credentials. Without --log it reads the log of the running sandbox.',
  options: [LOG],
  work: (requestId: string, { log }: { readonly log?: readonly string[] }) =>
    findRequestStory(logsOf(log), requestId),
  lines(story) {
    const members = Object.entries(story).filter(([name]) => !PRINTED_BELOW.has(name));
    return recordAndSentences(Object.fromEntries(members), requestSentences(story));
  },
});

const REQUEST_ID = /^req_[0-9a-f]{24}$/;

/** @throws Rejection if the text is no request id, or no line belongs to the request */
export async function findRequestStory(
  files: readonly string[],
  requestId: string,
): Promise<RequestStory> {
  if (!REQUEST_ID.test(requestId)) {
    throw new Rejection(
      `"${requestId}" is not a request id. Expected req_ and 24 characters of 0-9 and a-f, as in the X-Request-Id of a response.`,
    );
  }
  const found = await findInLogs(files, requestId);
  if (found.entries.length === 0) throw notFound(requestId, found);
  return toStory(requestId, found.entries);
}

function notFound(requestId: string, { linesRead, firstAt, lastAt }: FoundLines): Rejection {
  const span = firstAt === null ? '' : `, from ${firstAt} to ${lastAt ?? firstAt}`;
  return new Rejection(
    `None of ${linesRead} lines${span} is of ${requestId}. Search the logs of all API processes, and their older files. Requests are logged while LOG_LEVEL is info or debug.`,
  );
}

function requestSentences(story: RequestStory): readonly string[] {
  const { means, advice, rejection, status } = story;
  if (means !== null && advice !== null) return [means, advice];
  if (rejection === null) return status === null ? [] : ['The request was not rejected.'];
  if (status === null || status < 500) return ['The response says why.'];
  return ['The API could not answer it. The caller may repeat it.', ...ifConfirm(story)];
}

/** Temporal may hold a confirm until a worker carries it out. */
function ifConfirm({ route, intent_id: id }: RequestStory): readonly string[] {
  if (route?.endsWith('/confirm') !== true) return [];
  return [
    `The confirm may still be carried out, and the payment be paid: "payctl intents show ${id ?? 'ID'}" says what it waits for. The payer may repeat it with the same token, and must not pay in another way.`,
  ];
}
