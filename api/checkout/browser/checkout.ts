// The story of one visit: ask what the session is for, take a code, have it confirmed once, wait, and go back to the app
// (protocol 6). Which screen comes when is decided here and nowhere else.
import { isSettled } from '../../../src/domain/intents/transitions';
import type { IntentStatus } from '../../../src/domain/intents/payment-intent';
import type { QrPayload } from '../../../src/domain/qr/payload';
import { requestUntilAnswered } from './service/repeat-until-answered';
import { confirmOnce, type Ending, type Pace } from './confirmation';
import { forgetSession, storeSession, type StoredSession } from './session/stored-session';
import {
  openOutcome,
  rejectedOutcome,
  settledOutcome,
  usedOutcome,
  type Outcome,
} from './outcomes';
import { allowedScheme, returnUrl, type ReturnStatus } from './session/return-link';
import type { Paid, Payable } from './screens/amount';
import { endingView } from './screens/ending';
import { reviewView } from './screens/review';
import { scanView } from './screens/scan';
import { openingView } from './screens/waiting';
import { createWorking } from './screens/working';
import type { CheckoutService, Session } from './service/answers';
import type { Stage } from './stage';

interface CheckoutDeps {
  readonly intentId: string;
  readonly stage: Stage;
  readonly service: CheckoutService;
  readonly newPace: () => Pace;
  readonly nowMs: () => number;
  /** Hands the device over to the app. */
  readonly goTo: (url: string) => void;
}

/** Long enough to read one word before the app comes to the front. */
const RESULT_SHOWN_MS = 1_500;
const USED_CHECKED_EVERY_MS = 5_000;

export class Checkout {
  readonly #deps: CheckoutDeps;
  #kept: StoredSession;
  /** Unknown when the page was loaded again behind the confirmation. */
  #paid: Paid | null = null;
  #timeOver: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: CheckoutDeps, kept: StoredSession) {
    this.#deps = deps;
    this.#kept = kept;
  }

  /** From the beginning, or behind the confirmation when the page was loaded again meanwhile. */
  async start(): Promise<void> {
    const { sentCode } = this.#kept;
    if (sentCode !== null) {
      this.#tellEnding(await this.#confirm(sentCode, true));
      return;
    }
    const { stage, service, newPace } = this.#deps;
    stage.show(openingView(stage.announce));
    const answer = await requestUntilAnswered(() => service.session(), { stage, pace: newPace() });
    if (answer.kind === 'open') this.#begin(answer.session);
    else await this.#explainRejection();
  }

  #begin(session: Session): void {
    const { nowMs } = this.#deps;
    const returnScheme = allowedScheme(this.#kept.returnScheme, session.returnSchemes);
    this.#remember({ returnScheme, isSchemeAllowed: returnScheme !== null });
    if (session.status !== 'created') {
      this.#end(usedOutcome(session.status));
      return;
    }
    const lifeMs = session.expiresInSeconds * 1_000;
    const endsMs = nowMs() + lifeMs;
    this.#timeOver = setTimeout(() => {
      forgetSession(this.#deps.intentId);
      this.#end(rejectedOutcome('timeOver'));
    }, lifeMs);
    this.#scan({ session, leftMs: () => endsMs - nowMs() });
  }

  #scan(payable: Payable, problem?: 'malformed'): void {
    const onCode = (code: QrPayload) => {
      this.#review(payable, code);
    };
    const onCancel = () => {
      this.#cancel(payable);
    };
    this.#deps.stage.show(scanView({ payable, problem, onCode, onCancel }));
  }

  #review(payable: Payable, code: QrPayload): void {
    this.#deps.stage.show(
      reviewView(payable, code, {
        onConfirm: () => void this.#pay(payable, code),
        onScanAgain: () => {
          this.#scan(payable);
        },
        onCancel: () => {
          this.#cancel(payable);
        },
      }),
    );
  }

  /** Nothing was sent and the payment stays open, so that the payer may come back to it. */
  #cancel(payable: Payable): void {
    const onBack = this.#wayBack('cancelled');
    const onResume = () => {
      this.#scan(payable);
    };
    this.#deps.stage.show(
      endingView({ message: ({ left }) => left, icon: 'notice', onBack, onResume }),
    );
    onBack?.();
  }

  async #pay(payable: Payable, { raw, merchant }: QrPayload): Promise<void> {
    this.#paid = { amountUsdCents: payable.session.amountUsdCents, merchant: merchant.name };
    const ending = await this.#confirm(raw, false);
    if (ending.kind === 'code_refused') this.#scan(payable, 'malformed');
    else this.#tellEnding(ending);
  }

  async #confirm(code: string, isRepeat: boolean): Promise<Ending> {
    const { stage, service, newPace, intentId } = this.#deps;
    clearTimeout(this.#timeOver);
    this.#remember({ sentCode: code });
    const { view, tell } = createWorking({
      paid: this.#paid,
      announce: stage.announce,
      onLeave: this.#wayBack('pending'),
    });
    stage.show(view);
    const asked = { service, pace: newPace(), code, isRepeat, onProgress: tell };
    const ending = await confirmOnce(asked);
    if (ending.kind === 'code_refused') this.#remember({ sentCode: null });
    else forgetSession(intentId);
    return ending;
  }

  #tellEnding(ending: Ending): void {
    switch (ending.kind) {
      case 'settled':
        this.#end(settledOutcome(ending.status));
        return;
      case 'open':
        this.#end(openOutcome(ending.because));
        return;
      case 'code_refused':
      case 'session_refused':
        this.#end(rejectedOutcome(this.#isExpired() ? 'expired' : 'invalid'));
    }
  }

  /** The token may be spent: then the service tells its bearer what became of the payment (decision 29). */
  async #explainRejection(): Promise<void> {
    const { stage, service, newPace, intentId } = this.#deps;
    const answer = await requestUntilAnswered(() => service.status(), { stage, pace: newPace() });
    if (answer.kind === 'told') {
      await this.#showUsed(answer.status);
      return;
    }
    forgetSession(intentId);
    this.#end(rejectedOutcome(this.#isExpired() ? 'expired' : 'invalid'));
  }

  /** Until it is settled, or nobody answers for the token any longer. */
  async #showUsed(first: IntentStatus): Promise<void> {
    const { service, newPace, intentId } = this.#deps;
    const pace = newPace();
    let status = first;
    this.#end(usedOutcome(status));
    while (!isSettled(status)) {
      await pace.wait(USED_CHECKED_EVERY_MS);
      const answer = await service.status();
      if (answer.kind === 'refused') return;
      if (answer.kind !== 'told' || answer.status === status) continue;
      status = answer.status;
      this.#end(usedOutcome(status));
    }
    forgetSession(intentId);
  }

  #end({ options, status, goesBack }: Outcome): void {
    const onBack = this.#wayBack(status);
    const isGoingBack = goesBack && onBack !== null;
    this.#deps.stage.show(endingView({ ...options, paid: this.#paid, onBack, isGoingBack }));
    if (isGoingBack) setTimeout(onBack, RESULT_SHOWN_MS);
  }

  /** Null where there is no scheme that may be followed (decision 28). */
  #wayBack(status: ReturnStatus): (() => void) | null {
    const { intentId, goTo } = this.#deps;
    const { returnScheme, isSchemeAllowed } = this.#kept;
    if (returnScheme === null || !isSchemeAllowed) return null;
    return () => {
      goTo(returnUrl(returnScheme, intentId, status));
    };
  }

  #isExpired(): boolean {
    return this.#kept.expiresAtMs <= this.#deps.nowMs();
  }

  #remember(change: Partial<StoredSession>): void {
    this.#kept = { ...this.#kept, ...change };
    storeSession(this.#deps.intentId, this.#kept);
  }
}
