// What operations declare about a payout whose outcome the provider has not told (architecture, section 3,
// "Settlement"): judged against a fresh question before it is written, and compared with later answers after.
import type { PayoutGate } from '../src/ports/payout-gate';
import type { PayoutOutcome, PayoutProvider } from '../src/ports/payout-provider';
import type { Corridor } from '../src/domain/corridor';
import { payoutUnderWay, payoutUnknown } from './failures';
import { questionOf, type PayoutRequest } from './payout';

export interface DeclaredPayout extends Omit<PayoutRequest, 'isAttentionRaised'> {
  readonly declared: 'paid' | 'declined';
}

export interface Judgement {
  /** Why it is not accepted, in a sentence. */
  readonly refusal: string | null;
  /** With a payout that was declared declined: it may be written only while no attempt has begun since. */
  readonly payoutAttempts: number | null;
}

export interface ResolutionActivities {
  /**
   * Whether the declaration may be written. What may still be on its way is waited for.
   * @throws PayoutUnderWay with the time to wait
   */
  judgeResolution(payout: DeclaredPayout): Promise<Judgement>;
  /**
   * Null when the provider agrees, otherwise what it says instead.
   * @throws PayoutUnknown while it says neither: to be retried
   */
  compareResolved(payout: DeclaredPayout): Promise<string | null>;
}

export interface ResolutionDependencies {
  readonly providers: Readonly<Record<Corridor, PayoutProvider>>;
  readonly payoutGate: PayoutGate;
}

export function createResolutionActivities({
  providers,
  payoutGate,
}: ResolutionDependencies): ResolutionActivities {
  const ask = (payout: DeclaredPayout) => providers[payout.corridor].find(questionOf(payout));
  return {
    async judgeResolution(payout) {
      // A capture gives nothing back: what is sent or lands meanwhile is the payment that was declared.
      if (payout.declared === 'paid') return { refusal: null, payoutAttempts: null };
      const gate = await payoutGate.close(payout.intentId);
      if (gate.outcome === 'too_soon') throw payoutUnderWay(gate.inMs);
      const answer = await ask(payout);
      if (answer.outcome !== 'paid' && answer.outcome !== 'pending') {
        return { refusal: null, payoutAttempts: gate.attempts };
      }
      await payoutGate.open(payout.intentId);
      return { refusal: `The provider says ${answer.outcome}.`, payoutAttempts: null };
    },

    async compareResolved(payout) {
      const answer = await ask(payout);
      switch (answer.outcome) {
        case 'paid':
        case 'declined':
          return contradiction(payout, answer);
        case 'pending':
          if (payout.declared === 'declined') return 'the provider says pending.';
          throw payoutUnknown('the provider says it is pending');
        case 'not_found':
          throw payoutUnknown('the order is not known to it');
        case 'unknown':
          throw payoutUnknown(answer.cause);
      }
    },
  };
}

function contradiction(
  { declared, amountUsdCents }: DeclaredPayout,
  answer: Extract<PayoutOutcome, { readonly amountUsdCents: number }>,
): string | null {
  if (answer.outcome !== declared) return `the provider says ${answer.outcome}.`;
  if (answer.amountUsdCents === amountUsdCents) return null;
  return `the provider reports ${String(answer.amountUsdCents)} cents where ${String(amountUsdCents)} were ordered.`;
}
