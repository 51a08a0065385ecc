// MusePay and TransFi under chaos, each with its simulator, at one address of this process, so that
// the same links can be cut. The payment's key decides what becomes of an order.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { namedSettings } from '../../src/config/corridors';
import type { Corridor } from '../../src/corridors/names';
import { listen } from '../../src/main/listen';
import { aThaiCode, aVietnameseCode } from '../support/payments/qr-codes';
import { credentialsText, openMusePay, type Plan } from '../providers/musepay/simulator';
import { CREDENTIALS, openTransFiSimulator, type Behaviour } from '../providers/transfi/simulator';
import type { JournalEntry } from './sources/journal';

/** Satang and dong for a cent, so that what was paid names its cents. */
const MINOR_FOR_A_CENT = { th_qrpay: 31, vn_qrpay: 254 } as const;
const CURRENCIES = { th_qrpay: 'THB', vn_qrpay: 'VND' } as const;
const TOKENS = { th_qrpay: credentialsText(), vn_qrpay: JSON.stringify(CREDENTIALS) } as const;
const ADAPTERS = { th_qrpay: 'musepay', vn_qrpay: 'transfi' } as const;

/** In place of those of our own protocol. A fee of up to 2 USD is on top. */
export const REAL_SETTINGS = {
  ...namedSettings('PROVIDER_ADAPTER_', '', (corridor) => ADAPTERS[corridor]),
  ...namedSettings('PROVIDER_TOKEN_', '', (corridor) => TOKENS[corridor]),
  ...namedSettings('MAX_COST_', '_PERCENT', () => '10'),
  ...namedSettings('MAX_COST_', '_FIXED_USD_CENTS', () => '200'),
  ...namedSettings('MIN_COST_', '_PERCENT_BELOW', () => '10'),
};

/** A code with what the cents buy. */
export function codeWithAmount(corridor: Corridor, cents: number, name: string): string {
  const minor = cents * MINOR_FOR_A_CENT[corridor];
  return corridor === 'th_qrpay'
    ? aThaiCode({ '54': (minor / 100).toFixed(2), '59': name })
    : aVietnameseCode({ '54': String(minor), '59': name });
}

/** @returns a server with both, a journal and a statement, as the sandbox has them */
export async function openRealProviders(port: number) {
  const [musepay, transfi] = await Promise.all([
    openMusePay({ planOf: musePayPlanOf }),
    openTransFiSimulator(transFiBehaviourOf),
  ]);
  const paid = () => [
    ...musepay
      .executed()
      .map(({ requestId, amount }) =>
        paidIn('th_qrpay', `pi_${requestId}:payout`, Math.round(Number(amount) * 100)),
      ),
    ...transfi.executed().map(({ key, amount }) => paidIn('vn_qrpay', key, Number(amount))),
  ];
  const startedAt = new Date().toISOString();
  const server = createServer((request, response) => {
    const { url = '' } = request;
    const all = () => paid().map((one) => ({ ...one, executed_at: startedAt }));
    if (url === '/journal') response.end(JSON.stringify(all().map(journalEntry)));
    else if (url.startsWith('/statement')) response.end(all().map(statementLine).join(''));
    else (url.startsWith('/v3/') ? transfi : musepay).serve(request, response);
  });
  await listen(server, port, '127.0.0.1');
  return async () => {
    server.close();
    server.closeAllConnections();
    await Promise.all([musepay.close(), transfi.close()]);
  };
}

const paidIn = (corridor: Corridor, key: string, minor: number) => ({
  ...{ key, corridor },
  local: { currency: CURRENCIES[corridor], amount: minor },
});

type Paid = ReturnType<typeof paidIn> & { readonly executed_at: string };

/** Of the harness, which knows what a cent buys. */
const journalEntry = ({ local, ...paid }: Paid): JournalEntry => ({
  ...paid,
  amount_usd_cents: local.amount / MINOR_FOR_A_CENT[paid.corridor],
});

/** Theirs, in the payee's currency alone. */
const statementLine = (paid: Paid) => `${JSON.stringify({ ...paid, environment: 'sandbox' })}\n`;

/** From 0 to 99, the same for each request about a payment. */
const percentOf = (key: string) => createHash('sha256').update(key).digest().readUInt32BE(0) % 100;

/** The first whose bound is above the percentage. */
function chosen<Choice>(
  key: string,
  choices: readonly (readonly [number, Choice])[],
  other: Choice,
) {
  const percent = percentOf(key);
  return choices.find(([below]) => percent < below)?.[1] ?? other;
}

/** An order that is refused, or lost on its way, is never repeated there. */
const musePayPlanOf = (requestId: string): Plan =>
  chosen<Plan>(
    requestId,
    [
      [3, { submit: 'request_lost' }],
      [9, { submit: 'answer_lost' }],
      [12, { status: 44 }],
      [13, { refusal: 202_203 }],
      [19, { knownAfterMs: 8_000 }],
    ],
    {},
  );

const transFiBehaviourOf = (key: string): Partial<Behaviour> =>
  chosen<Partial<Behaviour>>(
    key,
    [
      [2, { answer: 'lost' }],
      [4, { answer: 'dropped' }],
      [7, { statuses: ['initiated', 'fund_failed'] }],
      [8, { refusal: 'ENHANCED_KYC_REQUIRED' }],
      [16, { statuses: [...Array<string>(8).fill('fund_processing'), 'fund_settled'] }],
      [20, { repeat: 'old order' }],
    ],
    {},
  );
