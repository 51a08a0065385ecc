// What payers and partners are about when Postgres goes away, each stopped at a stated step of its payment, what they are
// told meanwhile and when they repeat it, and what is true afterwards.
import { until } from '../../src/dev/until';
import { isSettled, parseIntentStatus } from '../../src/domain/intent-transitions';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { checkLedger } from '../../src/postgres/ledger-check';
import type { Reply } from '../support/app';
import type { Hold, HeldStep } from './holds';
import { said, truthOf, type LivePayer } from './live-payer';
import type { LiveWorld } from './live-world';

/** A confirm or a cancel, under way when Postgres goes away, or asked for only then. */
export interface Errand {
  readonly what: 'confirm' | 'cancel';
  readonly cents: number;
  /** The step that has begun and not been made; null where nothing has. */
  readonly at: HeldStep | null;
}

export interface Course {
  /** What was answered while Postgres was away. */
  readonly during: string;
  /** What the same request is answered when it is back, and then once more. */
  readonly repeats: readonly string[];
  readonly truth: Awaited<ReturnType<typeof truthOf>>;
}

export interface Scene {
  readonly world: LiveWorld;
  readonly payer: LivePayer;
}

export interface UnderWay {
  readonly intent: PaymentIntent;
  /** The same request every time, but for what a signature needs fresh. */
  ask(): Promise<Reply>;
  readonly hold: Hold | undefined;
  /** The answer to what was asked before Postgres went away. */
  readonly answer: Promise<Reply> | undefined;
}

export async function setOut({ world, payer }: Scene, errand: Errand): Promise<UnderWay> {
  const { what, cents, at } = errand;
  const intent = await payer.create({ cents });
  const token = payer.mint(intent);
  const ask = () => (what === 'confirm' ? payer.confirm(intent, token) : payer.cancel(intent));
  if (at === null) return { intent, ask, hold: undefined, answer: undefined };
  const hold = world.holds.hold(intent.intentId, at);
  const answer = ask();
  await hold.begun;
  return { intent, ask, hold, answer };
}

/** `200 captured`, `409`, or `503, Retry-After 1`. */
export function heard(reply: Reply): string {
  const wait = reply.headers['retry-after'];
  return wait === undefined ? said(reply) : `${said(reply)}, Retry-After ${wait}`;
}

export async function untilSettled({ world }: Scene, payments: readonly UnderWay[]): Promise<void> {
  const begun = payments.filter(({ hold }) => hold !== undefined);
  const areSettled = async () => {
    const truths = await Promise.all(begun.map(({ intent }) => truthOf(world, intent)));
    return truths.every(({ status }) => isSettled(parseIntentStatus(status)));
  };
  // A payout that could not be recorded is tried again every ten seconds.
  await until(areSettled, { timeoutMs: 45_000, everyMs: 100 });
}

export async function courseOf(
  { world }: Scene,
  { intent, ask }: UnderWay,
  during: Reply,
): Promise<Course> {
  const repeats = [heard(await ask()), heard(await ask())];
  return { during: heard(during), repeats, truth: await truthOf(world, intent) };
}

/** The checks of the ledger that do not hold. */
export async function violatedIn({ bed }: LiveWorld): Promise<readonly string[]> {
  const checks = await checkLedger(bed.database, () => undefined);
  return checks.filter(({ violations }) => violations > 0).map(({ name }) => name);
}
