// Checks of quotes, codes and amounts at their edges, and of the credential.
import type { Corridor } from '../../../corridors/names';
import { SCHEMES } from '../../../corridors/registry';
import type { LocalAmount } from '../../../domain/money';
import type { FailureCode } from '../../../domain/payouts/permissions';
import type { PayoutOrder } from '../../../ports/payout-provider';
import { createCaller, described, through, verifyLocal, type Caller } from './caller';
import { CENTS, type ProviderCheck } from './provider-check';

const SHORT_QUOTE_MS = 1_500;

/** The sample codes with an amount in them: 34 baht and 25 000 dong. */
const CODES_WITH_AMOUNT: Readonly<Record<Corridor, { code: string; local: LocalAmount }>> = {
  th_qrpay: {
    code: '00020101021129370016A0000006770101110113006680000000053037645402345802TH5915SANDBOX NOODLES6007BANGKOK63047959',
    local: { currency: 'THB', minor: 3_400 },
  },
  vn_qrpay: {
    code: '00020101021138570010A00000072701270006999999011300000000000000208QRIBFTTA53037045405250005802VN5914SANDBOX COFFEE6005HANOI63043869',
    local: { currency: 'VND', minor: 25_000 },
  },
};

/** As JSON. The third is half a cent too much, and the fourth a text. */
const NO_AMOUNTS = ['0', '-100', '2.5', '"100"', 'null', '100000001'];

/** The sentence, the code of the refusal, and an order that must be refused so. */
const REFUSED: readonly [string, FailureCode, (caller: Caller) => Promise<PayoutOrder>][] = [
  [
    'Another local amount than the quote’s is refused.',
    'amount_differs',
    async (caller) => {
      const given = await quoted(caller, CENTS.code);
      const local = given.local && { ...given.local, minor: given.local.minor + 1 };
      return { ...given, local };
    },
  ],
  [
    'An unknown quote is refused: rate_expired.',
    'rate_expired',
    async (caller) => ({ ...(await quoted(caller, CENTS.code)), token: 'conformance' }),
  ],
  [
    'An expired quote (40012) is refused: rate_expired.',
    'rate_expired',
    async (caller) => {
      const given = await quoted(caller, CENTS.shortQuote);
      await caller.wait(SHORT_QUOTE_MS);
      return given;
    },
  ],
];

export const TERM_CHECKS: readonly ProviderCheck[] = [
  {
    name: 'A quote names the payee, and its order is paid at its amount.',
    advice: 'Quote payee, amount and expiry, and execute the order for exactly that amount.',
    cents: CENTS.code,
    run: async (caller) => caller.pay(await quoted(caller, CENTS.code)),
  },
  {
    name: 'A code with an amount is quoted for exactly that amount.',
    advice: 'The amount in a code rules.',
    async run(caller) {
      const { code, local } = CODES_WITH_AMOUNT[caller.corridor];
      verifyLocal((await quoted(caller, CENTS.code, code)).local, local);
    },
  },
  ...REFUSED.map(([name, code, orderOf]) => ({
    ...{ name, advice: 'Answer 422.' },
    async run(caller: Caller) {
      const given = await orderOf(caller);
      await caller.order(given, `refused: ${code}`);
      await caller.find(given, 'not_found');
    },
  })),
  {
    name: 'A text that is no code is not quoted.',
    advice: 'Answer 422 and payee_unknown.',
    async run({ inquire }) {
      const answer = await inquire(CENTS.code, 'https://shop.example/pay');
      if (answer.outcome !== 'refused') throw new Error(described(answer));
    },
  },
  {
    name: 'No amount but whole cents from 1 to 100 000 000 is paid.',
    advice: 'Answer 400, or refuse.',
    async run(caller) {
      for (const amount of NO_AMOUNTS) await verifyNotPaid(caller, amount);
    },
  },
  {
    name: 'Without the credential nothing is answered or executed.',
    advice: 'Answer 401 before you read anything else.',
    async run(caller) {
      const given = caller.anOrder(CENTS.least);
      const stranger = createCaller({ ...caller, token: 'conformance' });
      await stranger.order(given, 'unknown');
      await stranger.find(given, 'unknown');
      await caller.find(given, 'not_found');
    },
  },
];

/** An order that repeats a quote. */
async function quoted(
  { anOrder, corridor, inquire }: Caller,
  cents: number,
  qrPayload = SCHEMES[corridor].sampleCode,
): Promise<PayoutOrder> {
  const answer = await inquire(cents, qrPayload);
  if (answer.outcome !== 'quoted') throw new Error(described(answer));
  const { token, local } = answer.inquiry;
  return anOrder(cents, { qrPayload, token, local });
}

async function verifyNotPaid(caller: Caller, amount: string): Promise<void> {
  const given = caller.anOrder(CENTS.least);
  const changed = through(caller, (request, send) => {
    const body = String(request.body).replace(/(?<="amount_usd_cents":)\d+/, amount);
    return send({ ...request, body });
  });
  await changed.order(given);
  const answer = await caller.find(given);
  if (answer.outcome !== 'not_found') throw new Error(`For ${amount}: ${described(answer)}`);
}
