// Checks of quotes, codes and amounts at their edges, and of the credential.
import type { Corridor } from '../../../corridors/names';
import { SCHEMES } from '../../../corridors/registry';
import type { LocalAmount } from '../../../domain/money';
import type { FailureCode } from '../../../domain/payouts/permissions';
import type { PayoutOrder } from '../../../ports/payout-provider';
import { createCaller, described, through, verifyLocal, type Caller } from './caller';
import type { ProviderCheck, Trial } from './provider-check';

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

export const TERM_CHECKS: readonly ProviderCheck[] = [
  {
    name: 'A quote names the payee, and its order is paid at its amount.',
    advice: 'Quote payee, amount and expiry, and execute the order for exactly that amount.',
    pays: 100,
    run: async (trial) => trial.pay(await quoted(trial)),
  },
  {
    name: 'A code with an amount is quoted for exactly that amount.',
    advice: 'The amount in a code rules.',
    async run(trial) {
      const { code, local } = CODES_WITH_AMOUNT[trial.corridor];
      verifyLocal((await quoted(trial, code)).local, local);
    },
  },
  {
    name: 'Another local amount than the quote’s is refused.',
    advice: 'Answer 422.',
    orders: 100,
    async run(trial) {
      const order = await quoted(trial);
      const local = order.local && { ...order.local, minor: order.local.minor + 1 };
      await verifyRefused(trial, { ...order, local }, 'amount_differs');
    },
  },
  {
    name: 'An unknown quote is refused: rate_expired.',
    advice: 'Answer 422.',
    orders: 100,
    async run(trial) {
      const order = await quoted(trial);
      await verifyRefused(trial, { ...order, token: 'conformance' }, 'rate_expired');
    },
  },
  {
    name: 'An expired quote (40012) is refused: rate_expired.',
    advice: 'Answer 422.',
    orders: 40_012,
    async run(trial) {
      const order = await quoted(trial);
      await trial.wait(SHORT_QUOTE_MS);
      await verifyRefused(trial, order, 'rate_expired');
    },
  },
  {
    name: 'A text that is no code is not quoted.',
    advice: 'Answer 422 and payee_unknown.',
    async run({ given, inquire }) {
      const answer = await inquire(given.amountUsdCents, 'https://shop.example/pay');
      if (answer.outcome !== 'refused') throw new Error(described(answer));
    },
  },
  {
    name: 'No amount but whole cents from 1 to 100 000 000 is paid.',
    advice: 'Answer 400, or refuse.',
    async run(trial) {
      for (const amount of NO_AMOUNTS) await verifyNotPaid(trial, amount);
    },
  },
  {
    name: 'Without the credential nothing is answered or executed.',
    advice: 'Answer 401 before you read anything else.',
    orders: 1,
    async run({ find, given, ...caller }) {
      const stranger = createCaller({ ...caller, token: 'conformance' });
      await stranger.order(given, 'unknown');
      await stranger.find(given, 'unknown');
      await find(given, 'not_found');
    },
  },
];

/** The order of this check, with the terms of a quote. */
async function quoted(
  { corridor, given, inquire }: Trial,
  qrPayload = SCHEMES[corridor].sampleCode,
): Promise<PayoutOrder> {
  const answer = await inquire(given.amountUsdCents, qrPayload);
  if (answer.outcome !== 'quoted') throw new Error(described(answer));
  const { token, local } = answer.inquiry;
  return { ...given, qrPayload, token, local };
}

async function verifyRefused(trial: Trial, order: PayoutOrder, code: FailureCode): Promise<void> {
  await trial.order(order, `refused: ${code}`);
  await trial.find(order, 'not_found');
}

async function verifyNotPaid(caller: Caller, amount: string): Promise<void> {
  const given = caller.anOrder(1);
  const changed = through(caller, (request, send) => {
    const body = String(request.body).replace(/(?<="amount_usd_cents":)\d+/, amount);
    return send({ ...request, body });
  });
  await changed.order(given);
  const answer = await caller.find(given);
  if (answer.outcome !== 'not_found') throw new Error(`For ${amount}: ${described(answer)}`);
}
