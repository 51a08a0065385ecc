// Fails one step of one payment, once: before its effect, or after it, when only its answer is lost (architecture,
// section 3: whatever dies, and whenever). The activities behind it are the real ones.
import type { PaymentActivities } from '../../activities';
import type { IntentEvent } from '../../src/domain/intent-transitions';

type PlainStep = Exclude<keyof PaymentActivities, 'recordTransition'>;

/** A transition is named with its event and a webhook with what it tells; a payout is asked about slowly once operations know. */
export type Step =
  PlainStep | 'payOutSlowly' | `recordTransition ${IntentEvent}` | `deliverWebhook ${string}`;

export type Moment = 'before' | 'after';

export interface Fault {
  readonly step: Step;
  readonly moment: Moment;
}

export interface InjectedFaults {
  /** This step of this intent will fail once. */
  plan(intentId: string, fault: Fault): void;
  isPlanned(intentId: string, step: Step): boolean;
  hasStruck(intentId: string): boolean;
  /** Runs the step, or fails it if that was planned. */
  at<Result>(intentId: string, step: Step, run: () => Promise<Result>): Promise<Result>;
}

export function createInjectedFaults(): InjectedFaults {
  const planned = new Map<string, Fault>();
  const struck = new Set<string>();
  const strike = (intentId: string, step: Step, moment: Moment) => {
    const fault = planned.get(intentId);
    if (fault?.step !== step || fault.moment !== moment || struck.has(intentId)) return;
    struck.add(intentId);
    throw new Error(`${step} fails ${moment} its effect`);
  };
  return {
    plan: (intentId, fault) => planned.set(intentId, fault),
    isPlanned: (intentId, step) => planned.get(intentId)?.step === step,
    hasStruck: (intentId) => struck.has(intentId),
    async at(intentId, step, run) {
      strike(intentId, step, 'before');
      try {
        return await run();
      } finally {
        // Also in place of an error of its own: "unknown" is told by throwing.
        strike(intentId, step, 'after');
      }
    },
  };
}

/** Every activity of a payment, each failed where that was planned. */
export function withFaults(
  activities: PaymentActivities,
  { at, isPlanned }: InjectedFaults,
): PaymentActivities {
  // A capture that is to fail has to be a step of its own: an activity with other terms than the row writes none.
  const isCaptureAlone = (intentId: string) => isPlanned(intentId, 'recordTransition capture');
  return {
    recordTransition: (command) =>
      at(command.intentId, `recordTransition ${command.event}`, () =>
        activities.recordTransition(command),
      ),
    readStanding: (intentId) =>
      at(intentId, 'readStanding', () => activities.readStanding(intentId)),
    setAttention: (intentId, reason, isSettled) =>
      at(intentId, 'setAttention', () => activities.setAttention(intentId, reason, isSettled)),
    debitHoldingAccount: (intentId, ...debit) =>
      at(intentId, 'debitHoldingAccount', () => activities.debitHoldingAccount(intentId, ...debit)),
    payOut: (request) =>
      at(request.intentId, request.isAttentionRaised ? 'payOutSlowly' : 'payOut', () =>
        activities.payOut(
          isCaptureAlone(request.intentId) ? { ...request, createdAtMs: 0 } : request,
        ),
      ),
    judgeResolution: (payout) =>
      at(payout.intentId, 'judgeResolution', () => activities.judgeResolution(payout)),
    compareResolved: (payout) =>
      at(payout.intentId, 'compareResolved', () => activities.compareResolved(payout)),
    awaitPayoutsAllowed: () => activities.awaitPayoutsAllowed(),
    isKnownUnpaid: (payout) =>
      at(payout.intentId, 'isKnownUnpaid', () => activities.isKnownUnpaid(payout)),
    reportMissingRow: (payment) => activities.reportMissingRow(payment),
    reportRecreatedRow: (intentId, createdAtMs) =>
      activities.reportRecreatedRow(intentId, createdAtMs),
    tickRestoreWatch: (known) => activities.tickRestoreWatch(known),
    stopPayouts: (reason, side) => activities.stopPayouts(reason, side),
  };
}
