// `payctl token explain`: runs the API's own checks over a session token, against the partners,
// intents and used tokens of the database and the key set as published. It changes nothing.
import { hash } from 'node:crypto';
import { NO_INTENT_ID, parseIntentId } from '../../domain/ids';
import type { IntentStatus } from '../../domain/intents/payment-intent';
import { createKeySetFetcher } from '../../http/key-set-fetcher';
import { createPartnerOutbound } from '../../http/partner-outbound';
import { readTokenIssuers } from '../../postgres/partners/directory';
import { createSessionTokenStore } from '../../postgres/partners/session-tokens';
import { readEnvironment } from '../../postgres/service-environment';
import {
  explainChecks,
  proveToken,
  type ExplainedTokenCheck,
  type TokenExplanation,
} from '../../signing/explain-token';
import { readKeySet, type PublishedKeys } from '../../signing/published-keys';
import type { TokenPurpose } from '../../signing/token-checks';
import { isMalformed } from '../../signing/token-claims';
import { notedTableLines, sentenceSection } from '../layout';
import { Rejection } from '../rejection';
import type { Session } from '../session';
import { systemTime } from '../system-time';
import { option, verb } from '../verb';
import { TOKEN_REJECTIONS } from './rejection-reasons';
import { readSecret, SESSION_TOKEN } from './secret-input';

interface Explained extends TokenExplanation {
  /** Sentences about what the checks do not show. */
  readonly notes: readonly string[];
}

interface ExplainOptions {
  readonly for: TokenPurpose;
}

export const explain = verb('explain [intent]', {
  does: 'Say why the API rejects a session token: each of its checks in order, the claim, what is expected and what was found. It sends nothing to the API and uses nothing up.',
  options: [
    option('--for <purpose>', 'what the token is sent for')
      .choices(['confirm', 'read', 'status'])
      .default('confirm'),
  ],
  help: `
The token is read from SESSION_TOKEN, or else from a prompt or a pipe. It is
never an argument, because other users of the machine can see those. The key set
is fetched anew: "payctl requests why" says if it was away at the time of a request.`,
  work: (intent: string | undefined, options: ExplainOptions) => async (session) =>
    explainInDatabase(session, await readSecret(SESSION_TOKEN), { intent, purpose: options.for }),
  lines: explanationLines,
  after({ failed }) {
    if (failed !== null) throw new Rejection(`The API rejects this token: ${failed.reason}.`);
  },
});

interface Asked {
  /** The intent in the path of the request. */
  readonly intent?: string | undefined;
  readonly purpose: TokenPurpose;
}

/** What the API reads to verify a token. */
interface TokenWorld {
  readonly issuers: Awaited<ReturnType<typeof readTokenIssuers>>;
  readonly tokens: Pick<ReturnType<typeof createSessionTokenStore>, 'readToken'>;
  readonly keySets: ReturnType<typeof createKeySetFetcher>;
  readonly now: Date;
}

async function explainInDatabase(
  { database, networks }: Session,
  token: string,
  asked: Asked,
): Promise<Explained> {
  const environment = (await readEnvironment(database)) === 'prod' ? 'prod' : 'sandbox';
  const outbound = createPartnerOutbound({ environment, networks });
  const world = {
    issuers: await readTokenIssuers(database, environment),
    tokens: createSessionTokenStore(database),
    keySets: createKeySetFetcher(outbound),
    now: systemTime(),
  };
  try {
    return await explainIn(world, token, asked);
  } finally {
    await outbound.close();
  }
}

/** The key set is fetched anew: the API may have an older one for up to ten minutes. */
export async function explainIn(
  { issuers, tokens, keySets, now }: TokenWorld,
  token: string,
  { intent: pathIntentId, purpose }: Asked,
): Promise<Explained> {
  const notes: string[] = [];
  const proof = await proveToken(token, issuers, async ({ jwksUrl }) => {
    const keys = await keysAt(jwksUrl, keySets, notes);
    if (typeof keys !== 'string') return keys;
    notes.push(`The key set at ${jwksUrl} could not be fetched: ${keys}.`);
    return undefined;
  });
  const { read, issuer } = proof;
  if (isMalformed(read) || issuer === undefined) {
    return { ...explainChecks({ proof, evidence: undefined, pathIntentId }), notes };
  }
  const { claims } = read;
  const intentId = parseIntentId(claims['service:intent_id']) ?? NO_INTENT_ID;
  const jtiHash = hash('sha256', claims.jti);
  const { intent, token: state } = await tokens.readToken(intentId, issuer.partnerId, jtiHash);
  notes.push(...aboutIntent(intent?.status, purpose));
  const nowSeconds = now.getTime() / 1_000;
  const evidence = { claims, issuer, intent, state, purpose, nowSeconds };
  return { ...explainChecks({ proof, evidence, pathIntentId }), notes };
}

/** Answers that are no 401, so no check has them. */
function aboutIntent(status: IntentStatus | undefined, purpose: TokenPurpose): readonly string[] {
  if (status === undefined) return ['There is no such intent: the answer is 404.'];
  const isOpen = status === 'created' || status === 'authorized';
  return purpose !== 'confirm' || isOpen
    ? []
    : [`The intent is ${status}: the answer to a confirm is 409.`];
}

/** The usable keys, or why there are none. */
async function keysAt(
  jwksUrl: string,
  keySets: TokenWorld['keySets'],
  notes: string[],
): Promise<PublishedKeys | string> {
  try {
    return readKeySet(await keySets.fetchKeySet(jwksUrl), (skipped) => {
      notes.push(...skipped.map(({ name, why }) => `The key set's ${name} is skipped: ${why}.`));
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function explanationLines({ checks, failed, notes }: Explained): readonly string[] {
  const advice = failed === null ? [] : [TOKEN_REJECTIONS[failed.reason].advice];
  return [
    ...notedTableLines(checks.map(toNotedRow)),
    ...sentenceSection('Note', [...notes, ...advice]),
  ];
}

/** A check that failed shows what it expected and found. */
function toNotedRow({ step, reason, outcome, claim, expected, found }: ExplainedTokenCheck) {
  const notes = outcome === 'failed' ? [`${claim}: expected ${expected}; found ${found}`] : [];
  return { row: { step: step ?? 'after', check: reason, outcome }, notes };
}
