// Takes callbacks of payout providers (decision 156). One that an adapter has verified on its exact
// bytes is a hint that a payment should be queried. Nothing that it says of an outcome is read.
import Koa from 'koa';
import type { RequestState } from './context';
import { errorHandler } from './middleware/error-handler';
import { rawBody } from './middleware/raw-body';
import { requestCeiling } from './middleware/request-ceiling';
import { requestId } from './middleware/request-id';
import { CORRIDORS, type Corridor } from '../src/corridors/names';
import { DomainError } from '../src/domain/errors';
import { NO_INTENT_ID, parseIntentId } from '../src/domain/ids';
import type { Randomness } from '../src/ports/clock';
import type { Log } from '../src/ports/observe';
import type { CallbackHeaders, PayoutProvider } from '../src/ports/payout-provider';
import type { HintResult, PayoutHint } from '../src/ports/payouts';

/** The current account of each corridor, and the former ones. */
export type CallbackAccounts = Readonly<Record<Corridor, readonly PayoutProvider[]>>;

interface CallbackDependencies {
  readonly accounts: CallbackAccounts;
  readonly take: (hint: PayoutHint) => Promise<HintResult>;
  readonly count: (corridor: Corridor, result: HintResult | 'rejected' | 'unavailable') => void;
  readonly randomness: Randomness;
  readonly log: Log;
}

/** So many wait for Postgres at a time: most of its connections are left to payments. */
const TAKEN_AT_A_TIME = 8;

export function createCallbackApp(dependencies: CallbackDependencies): Koa<RequestState> {
  const { accounts, take, count, randomness, log } = dependencies;
  const app = new Koa<RequestState>();
  const readBody = rawBody();
  const admit = requestCeiling(TAKEN_AT_A_TIME, { requestsInProgress: () => undefined });
  app.use(requestId(randomness));
  app.use(errorHandler({ settings: { errorEnvelope: 'flat' }, log }));
  app.use(async (ctx) => {
    const corridor = CORRIDORS.find((name) => ctx.path === `/callbacks/${name}`);
    if (ctx.method !== 'POST' || corridor === undefined) throw new DomainError('not_found');
    const takeBody = async () => {
      const hint = hintIn(ctx.req.headers, ctx.state.body, accounts[corridor]);
      await admit(ctx, async () => count(corridor, await take({ ...hint, corridor })));
    };
    try {
      await readBody(ctx, takeBody);
      ctx.status = 200;
    } catch (error) {
      const isRejected = error instanceof DomainError && error.code !== 'unavailable';
      count(corridor, isRejected ? 'rejected' : 'unavailable');
      throw error;
    }
  });
  app.on('error', (error: unknown) => {
    log.error({ err: error }, 'a response could not be sent');
  });
  return app;
}

/** @throws DomainError `authentication_failed` unless an account verifies and reads it */
function hintIn(headers: CallbackHeaders, body: Buffer, accounts: readonly PayoutProvider[]) {
  const read = accounts.flatMap((provider) => {
    const hint = provider.readCallback?.(headers, body);
    return hint === undefined ? [] : [{ account: provider.account, hint }];
  });
  const [first] = read;
  if (first === undefined) throw new DomainError('authentication_failed');
  const { key, reference } = first.hint;
  const intentId = parseIntentId(key?.replace(/:payout$/, '') ?? '') ?? NO_INTENT_ID;
  return { intentId, reference, accounts: read.map(({ account }) => account) };
}
