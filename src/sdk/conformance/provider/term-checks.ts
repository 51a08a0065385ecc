// Checks of quotes, codes and amounts at their edges, and of the credential.
import { formatLocal, isCostText } from '../../../domain/money';
import { parseRfc3339 } from '../../../domain/rfc3339';
import { FAILURE_CODES } from '../../../domain/payouts/permissions';
import type { Check } from '../check';
import { newKey } from './caller';
import {
  described,
  isLocal,
  isObject,
  membersIn,
  readingOf,
  type Members,
  type WireLocal,
} from './reading';
import {
  CENTS,
  checkOf,
  codeOf,
  codeWithAmount,
  firstProblem,
  notKind,
  notRefused,
  type Subject,
} from './subject';

const SHORT_QUOTE_MS = 1_500;

export function termChecks(subject: Subject): readonly Check[] {
  const { books } = subject;
  const refusedWith = (name: string, advice: string, run: () => Promise<string | undefined>) =>
    checkOf(name, advice, () => books.moves(0, run));
  return [
    checkOf(
      'A quote names the payee, and its order is paid at its amount.',
      'Quote payee, amount and expiry, and execute the order for exactly that amount.',
      () => books.moves(CENTS.code, () => paysQuote(subject)),
    ),
    checkOf(
      'A code with an amount is quoted for exactly that amount.',
      'The amount in a code rules.',
      async () => {
        const { code, local } = codeWithAmount(subject);
        const quote = await quoteOf(subject, CENTS.code, code);
        return 'problem' in quote ? quote.problem : unlessSame(quote.local, local);
      },
    ),
    refusedWith('Another local amount than the quote’s is refused.', 'Answer 422.', () =>
      refusesOther(subject),
    ),
    refusedWith('An unknown quote is refused: rate_expired.', 'Answer 422.', () =>
      refuses(subject, CENTS.code, { quote_id: 'conformance' }, 'rate_expired'),
    ),
    refusedWith('An expired quote (40012) is refused: rate_expired.', 'Answer 422.', () =>
      refusesExpired(subject),
    ),
    refusedWith('A text that is no code is not quoted.', 'Answer 422 and payee_unknown.', () =>
      deniesCode(subject),
    ),
    refusedWith(
      'No amount but whole cents from 1 to 100 000 000 is paid.',
      'Answer 400, or refuse.',
      () => deniesAmounts(subject),
    ),
    refusedWith(
      'Without the credential nothing is answered or executed.',
      'Answer 401 before you read anything else.',
      () => deniesOthers(subject),
    ),
  ];
}

interface Quote {
  readonly id: string;
  readonly local: WireLocal;
}

async function quoteOf(
  { caller }: Subject,
  cents: number,
  code: string,
): Promise<Quote | { readonly problem: string }> {
  const reply = await caller.quote(cents, code);
  if (typeof reply === 'string') return { problem: `It gave no answer: ${reply}.` };
  const members = reply.status === 200 ? membersIn(reply) : undefined;
  if (members === undefined) return { problem: `It answered ${String(reply.status)}.` };
  const { quote_id: id, local } = members;
  const flaw = flawOf(members);
  if (flaw !== undefined) return { problem: `Its quote has no readable ${flaw}.` };
  return typeof id === 'string' && isLocal(local)
    ? { id, local }
    : { problem: 'Its quote has no readable quote_id or local.' };
}

const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  quote_id: (id) => typeof id === 'string' && /^[\x21-\x7e]{1,256}$/.test(id),
  local: isLocal,
  rate: (rate) => typeof rate === 'string' && isCostText(rate),
  expires_at: (at) => typeof at === 'string' && parseRfc3339(at) !== undefined,
  payee: (payee) => isObject(payee) && isName(payee['name']) && isName(payee['bank'] ?? null),
};

function flawOf(members: Members): string | undefined {
  return Object.keys(MEMBERS).find((name) => MEMBERS[name]?.(members[name]) !== true);
}

const isName = (name: unknown) =>
  name === null || (typeof name === 'string' && /^\P{C}{1,140}$/u.test(name));

async function paysQuote(subject: Subject): Promise<string | undefined> {
  const { caller } = subject;
  const [key, code] = [newKey(), codeOf(subject)];
  const quote = await quoteOf(subject, CENTS.code, code);
  if ('problem' in quote) return quote.problem;
  const change = { qr_payload: code, quote_id: quote.id, local: quote.local };
  const ordered = await caller.order({ key, cents: CENTS.code, change });
  if (ordered.kind !== 'payout') return described(ordered);
  const paid = await caller.settled(key);
  if (paid.kind !== 'payout' || paid.status !== 'paid') return described(paid);
  return unlessSame(paid.local, quote.local);
}

function unlessSame(found: WireLocal | null, expected: WireLocal): string | undefined {
  if (found === null) return 'It answered no local amount.';
  const isSame = found.currency === expected.currency && found.amount === expected.amount;
  return isSame ? undefined : `The payee gets ${textOf(found)}, not ${textOf(expected)}.`;
}

const textOf = ({ currency, amount: minor }: WireLocal) => formatLocal({ currency, minor });

async function refusesOther(subject: Subject): Promise<string | undefined> {
  const code = codeOf(subject);
  const quote = await quoteOf(subject, CENTS.code, code);
  if ('problem' in quote) return quote.problem;
  const local = { ...quote.local, amount: quote.local.amount + 1 };
  const change = { qr_payload: code, quote_id: quote.id, local };
  return refuses(subject, CENTS.code, change, 'amount_differs');
}

async function refusesExpired(subject: Subject): Promise<string | undefined> {
  const code = codeOf(subject);
  const quote = await quoteOf(subject, CENTS.shortQuote, code);
  if ('problem' in quote) return quote.problem;
  await subject.caller.timing.wait(SHORT_QUOTE_MS);
  const change = { qr_payload: code, quote_id: quote.id };
  return refuses(subject, CENTS.shortQuote, change, 'rate_expired');
}

async function refuses(
  subject: Subject,
  cents: number,
  change: Members,
  code: string,
): Promise<string | undefined> {
  const { caller } = subject;
  const key = newKey();
  const given = { key, cents, change: { qr_payload: codeOf(subject), ...change } };
  return firstProblem(
    async () => notRefused(await caller.order(given), code),
    async () => notKind(await caller.find(key), 'not_found'),
  );
}

async function deniesCode({ caller }: Subject): Promise<string | undefined> {
  const reply = await caller.quote(CENTS.code, 'https://shop.example/pay');
  if (typeof reply === 'string') return `It gave no answer: ${reply}.`;
  const code = membersIn(reply)?.['error'];
  const isRefused = reply.status === 422 && FAILURE_CODES.some((one) => one === code);
  return isRefused ? undefined : `It answered ${String(reply.status)}.`;
}

/** `2.5` is half a cent too much, and `"100"` a text. */
const NO_AMOUNTS: readonly unknown[] = [0, -100, 2.5, '100', null, 100_000_001];

async function deniesAmounts({ caller }: Subject): Promise<string | undefined> {
  for (const cents of NO_AMOUNTS) {
    const key = newKey();
    const given = await caller.order({ key, cents });
    const problem =
      given.kind === 'payout' ? described(given) : notKind(await caller.find(key), 'not_found');
    if (problem !== undefined) return `For ${JSON.stringify(cents)}: ${problem}`;
  }
  return undefined;
}

async function deniesOthers({ caller }: Subject): Promise<string | undefined> {
  const key = newKey();
  const headers = { authorization: 'Bearer conformance' };
  const given = await caller.order({ key, cents: CENTS.least }, { headers });
  if (given.kind !== 'unclear') return described(given);
  const reply = await caller.send({ method: 'GET', path: `/payouts/${key}`, headers });
  const asked = typeof reply === 'string' ? undefined : readingOf(reply, key, 'query');
  if (asked !== undefined && asked.kind !== 'unclear') return described(asked);
  return notKind(await caller.find(key), 'not_found');
}
