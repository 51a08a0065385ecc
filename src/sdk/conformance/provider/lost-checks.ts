// Checks of orders whose answer is lost. They decide whether an unknown outcome can be resolved.
import { PAYOUT_SENDING_MAX_SECONDS } from '../../../domain/payouts/limits';
import type { Check } from '../check';
import { newKey } from './caller';
import { sendAndCut, sendAndDie, type Cut } from './lost-requests';
import { described, type Reading } from './reading';
import { CENTS, checkOf, firstProblem, notKind, notPayout, type Subject } from './subject';

/** From then on `not_found` is proof. */
export const FENCE_MS = PAYOUT_SENDING_MAX_SECONDS * 1_000;

/** How the three orders are lost whose outcome may be either. */
const WAYS = ['half', 'sent', 'killed'] as const;
type Way = (typeof WAYS)[number];

interface Lost {
  readonly key: string;
  /** At once, after 6 s, and after 6 s more. */
  readonly readings: readonly Reading[];
}

type LostOrders = Readonly<Record<Way, Lost>>;

export function lostChecks(subject: Subject): readonly Check[] {
  const { books } = subject;
  const lose = onceOnly(() => loseAll(subject));
  const stable = async (way: Way) => problemOf(await lose(), way);
  return [
    checkOf(
      'An order is found when the connection is cut at its answer.',
      'Store the order before you answer, and answer queries from those books.',
      () => books.moves(CENTS.cut, () => isFoundAfterCut(subject)),
    ),
    checkOf(
      'Half an order is never executed.',
      'Read the whole body, by its Content-Length, before you store anything.',
      () => stable('half'),
    ),
    checkOf('An order cut off behind its last byte has one outcome.', STABLE, () => stable('sent')),
    checkOf('An order of a killed caller has one outcome.', STABLE, () => stable('killed')),
    checkOf('A lost order that is sent again is paid once.', AGAIN, async () => {
      const lost = await lose();
      const paid = WAYS.filter((way) => lastOf(lost[way])?.kind === 'payout').length;
      const due = (WAYS.length - paid) * CENTS.cut;
      return books.moves(due, () => sendAgain(subject, lost));
    }),
    checkOf(
      'An order that is never answered (40002) is found as paid.',
      'Execute 40002 in your sandbox without an answer, and answer queries for it.',
      () => books.moves(CENTS.silent, () => isFoundAfterSilence(subject)),
    ),
  ];
}

const STABLE = 'Danger: double payment. Say not_found only if the order can never be executed.';
const AGAIN = 'Danger: double payment. A key is executed at most once.';

function onceOnly<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => (result ??= work());
}

/** Together, since each needs the same 12 s. */
async function loseAll({ caller }: Subject): Promise<LostOrders> {
  const { target, timing } = caller;
  const lose = async (way: Way) => {
    const order = { key: newKey(), cents: CENTS.cut };
    caller.note(order);
    const cutting = { cut: way as Cut, timeoutMs: timing.timeoutMs };
    if (way === 'killed') await sendAndDie(order, target, timing.timeoutMs);
    else await sendAndCut(order, target, cutting);
    return order.key;
  };
  const keys = await Promise.all(WAYS.map(lose));
  const findAll = () => Promise.all(keys.map((key) => caller.find(key)));
  const rounds = [await findAll()];
  for (let times = 0; times < 2; times += 1) {
    await timing.wait(FENCE_MS);
    rounds.push(await findAll());
  }
  const lost = (index: number): Lost => ({
    key: keys[index] ?? '',
    readings: rounds.flatMap((round) => round[index] ?? []),
  });
  return { half: lost(0), sent: lost(1), killed: lost(2) };
}

function problemOf(lost: LostOrders, way: Way): string | undefined {
  const [, fenced, last] = lost[way].readings;
  if (fenced === undefined || last === undefined) return 'It was not queried.';
  if (way === 'half') return notKind(fenced, 'not_found') ?? notKind(last, 'not_found');
  if (fenced.kind === 'not_found') {
    const problem = notKind(last, 'not_found');
    return problem && `After not_found, 6 s after the order: ${problem}`;
  }
  return notPayout(fenced, CENTS.cut, 'paid') ?? notPayout(last, CENTS.cut, 'paid');
}

const lastOf = ({ readings }: Lost) => readings.at(-1);

async function sendAgain({ caller }: Subject, lost: LostOrders) {
  return firstProblem(
    ...WAYS.map((way) => async () => {
      const { key } = lost[way];
      const reading = await caller.order({ key, cents: CENTS.cut });
      if (reading.kind !== 'payout') return described(reading);
      return notPayout(await caller.settled(key), CENTS.cut, 'paid');
    }),
  );
}

async function isFoundAfterCut({ caller }: Subject): Promise<string | undefined> {
  const order = { key: newKey(), cents: CENTS.cut };
  caller.note(order);
  const { timeoutMs } = caller.timing;
  await sendAndCut(order, caller.target, { cut: 'answered', timeoutMs });
  return firstProblem(
    async () => notPayout(await caller.find(order.key), CENTS.cut, 'paid', 'pending'),
    async () => notPayout(await caller.settled(order.key), CENTS.cut, 'paid'),
  );
}

async function isFoundAfterSilence({ caller }: Subject): Promise<string | undefined> {
  const order = { key: newKey(), cents: CENTS.silent };
  const reading = await caller.order(order, { timeoutMs: caller.timing.silentAfterMs });
  if (reading.kind !== 'unclear') return described(reading);
  // It may still be on its way.
  if ((await caller.find(order.key)).kind === 'not_found') await caller.timing.wait(FENCE_MS);
  return notPayout(await caller.settled(order.key), CENTS.silent, 'paid');
}
