// The settings of a life that decide what its provider declares (docs/providers) and answers.
import type { LocalAmount } from '../../../src/domain/money';
import type {
  Declared,
  InquiryAnswer,
  PayoutOutcome,
  PayoutQuestion,
  QueryAnswer,
} from '../../../src/ports/payout-provider';
import type { Choices } from '../run/choices';
import { DECLINED, paidIn, PENDING, returnedIn, SURE } from '../../support/payments/answers';

const ADAPTERS = ['http', 'musepay', 'transfi'] as const;
export type Adapter = (typeof ADAPTERS)[number];

export const PROVIDER_SETTING = 'the provider';
const PROVIDERS = [
  'pays',
  'declines',
  'pays after 3 s',
  'declines after 30 s',
  'pays after 5 min',
  'pays and is silent for 2 min',
  'answers after 2 s',
  'executes at the last moment',
  'loses what it was sent, for 1 min',
  'reports another amount',
  'declines, and pays',
  'declines, and revokes that after 3 s',
  'refuses two orders for too little balance',
  'refuses orders for good',
  'returns the money',
  'calls an order a duplicate that it never had',
  'pays, and gets it back',
  'pays, gets it back, and pays again',
  'pays, then says declined, then paid',
] as const;
/** What each query after the end of the payment is answered, the last answer again and again. */
export const AFTER_THE_END: Readonly<
  Record<string, readonly ('paid' | 'declined' | 'returned')[]>
> = {
  'pays, and gets it back': ['returned'],
  'pays, gets it back, and pays again': ['returned', 'paid'],
  'pays, then says declined, then paid': ['declined', 'paid'],
};

const REVOKED_MS = 3_000;
export const REFERENCE = 'OR-1';
export const OTHER_REFERENCE = 'OR-2';
const LOCAL: LocalAmount = { currency: 'THB', minor: 43_125 };

const NOTHING_PROMISED = {
  ...{ notFoundIsProof: false, refusalIsFinal: false, declineIsFinal: false, needsLocal: true },
};

export const ABILITIES: Readonly<Record<Adapter, Declared>> = {
  http: SURE,
  musepay: { ...SURE, ...NOTHING_PROMISED, repeat: 'unsafe', confirmsLocal: false },
  transfi: { ...SURE, ...NOTHING_PROMISED, repeat: 'refused', findsByKey: false },
};

interface Queue {
  readonly repeat: Declared['repeat'];
  /** What a repeat is answered while the first order waits; undefined where it is another order. */
  readonly toRepeat: PayoutOutcome | undefined;
}

/** For 30 s the provider denies an order that it has accepted. */
export const QUEUES = {
  none: undefined,
  'repeats it': { repeat: 'same', toRepeat: PENDING },
  'refuses repeats': { repeat: 'refused', toRepeat: { outcome: 'duplicate' } },
  'refuses repeats as not allowed': {
    ...{ repeat: 'same', toRepeat: { outcome: 'refused', code: 'compliance' } },
  },
  'pays repeats again': { repeat: 'unsafe', toRepeat: undefined },
} as const satisfies Readonly<Record<string, Queue | undefined>>;
const QUEUE_KINDS = Object.keys(QUEUES) as readonly (keyof typeof QUEUES)[];

/** In USD, of the first order of 12.50 USD, and of a later one. */
export const COSTS = {
  'within its bound': { first: '12.499', later: '12.499' },
  'above its bound': { first: '12.51', later: '12.51' },
  'the payment again as a fee': { first: '25.51', later: '25.51' },
  'above its bound from the second order on': { first: '12.499', later: '12.51' },
} as const;
const COST_KINDS = Object.keys(COSTS) as readonly (keyof typeof COSTS)[];

export type ProviderSettings = ReturnType<typeof drawProvider>;

export function drawProvider(choices: Choices) {
  return {
    kind: choices.setting(PROVIDER_SETTING, PROVIDERS),
    adapter: choices.setting('the adapter', ADAPTERS),
    costKind: choices.rareSetting('the cost', COST_KINDS),
    queueKind: choices.rareSetting('the queue of the provider', QUEUE_KINDS),
  };
}

/** MusePay repeats no amount. */
export const repeatsOtherAmount = ({ kind, adapter }: ProviderSettings): boolean =>
  kind === 'reports another amount' && adapter !== 'musepay';

/** What a query is answered about an order that was decided so long ago. */
export function decided(settings: ProviderSettings, cents: number, sinceMs: number): QueryAnswer {
  const { kind } = settings;
  const isRevoked = kind.endsWith('revokes that after 3 s') && sinceMs >= REVOKED_MS;
  if (kind.startsWith('declines') && !isRevoked) return DECLINED;
  if (kind === 'returns the money') return returnedIn(cents);
  return paidIn(repeatsOtherAmount(settings) ? cents + 100 : cents);
}

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
