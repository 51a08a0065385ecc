// What the adapters of real providers declare (docs/providers), and how their answers differ from
// those of our own protocol.
import type { LocalAmount } from '../../../src/domain/money';
import type {
  Declared,
  InquiryAnswer,
  PayoutOutcome,
  PayoutQuestion,
} from '../../../src/ports/payout-provider';
import { SURE } from '../../support/payments/answers';

export const ADAPTERS = ['http', 'musepay', 'transfi'] as const;
export type Adapter = (typeof ADAPTERS)[number];

export const REFERENCE = 'OR-1';
const LOCAL: LocalAmount = { currency: 'THB', minor: 43_125 };

const NOTHING_PROMISED = {
  ...{ notFoundIsProof: false, refusalIsFinal: false, declineIsFinal: false, needsLocal: true },
};

export const ABILITIES: Readonly<Record<Adapter, Declared>> = {
  http: SURE,
  musepay: { ...SURE, ...NOTHING_PROMISED, repeat: 'unsafe', confirmsLocal: false },
  transfi: { ...SURE, ...NOTHING_PROMISED, repeat: 'refused', findsByKey: false },
};

/** The amount in the payer's code. */
export const localFor = (adapter: Adapter): LocalAmount | null =>
  adapter === 'http' ? null : LOCAL;

/** What it would cost, in USDT. */
export const inquiryOf = (debited: string): InquiryAnswer => ({
  outcome: 'quoted',
  inquiry: {
    ...{ payee: null, local: LOCAL, token: null, firmUntil: null },
    cost: { currency: 'USDT', debited, fee: null, rate: null },
  },
});

/** An order is only ever accepted there, and answers name no cents. */
export function spokenBy(
  adapter: Adapter,
  { call, isOtherAmount }: { readonly call: 'pay' | 'find'; readonly isOtherAmount: boolean },
  answer: PayoutOutcome,
): PayoutOutcome {
  if (adapter === 'http') return answer;
  const accepted = call === 'pay' ? ['paid', 'declined', 'returned', 'pending'] : ['pending'];
  if (accepted.includes(answer.outcome)) return { outcome: 'pending', reference: REFERENCE };
  if (!('facts' in answer)) return answer;
  const local = isOtherAmount ? { ...LOCAL, minor: LOCAL.minor + 1 } : LOCAL;
  const facts = { ...answer.facts, orderedUsdCents: null, reference: REFERENCE };
  return { ...answer, facts: { ...facts, local: adapter === 'transfi' ? local : null } };
}

/** TransFi is queried by its own id only. */
export const isFound = (adapter: Adapter, { reference }: PayoutQuestion): boolean =>
  adapter !== 'transfi' || reference === REFERENCE;
