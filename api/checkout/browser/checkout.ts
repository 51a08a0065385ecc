// The story of one visit: read the session, receive a code, confirm it once, wait, and go back to
// the app (protocol 6). Only this file decides which screen is shown.
import type { QrPayload } from '../../../src/domain/qr/payload';
import { requestUntilAnswered } from './service/repeat-until-answered';
import { confirmOnce, type Ending, type Pace, type Progress } from './confirmation';
import { deleteSession, storeSession, type StoredSession } from './session/stored-session';
import { openOutcome, rejectedOutcome, settledOutcome, usedOutcome } from './outcomes';
import type { Outcome } from './outcomes';
import {
  allowedScheme,
  returnUrl,
  unregisteredWarning,
  type ReturnStatus,
} from './session/return-link';
import type { Paid, Payable } from './screens/amount';
import { cameraView } from './screens/camera';
import { endingView } from './screens/ending';
import { reviewView } from './screens/review';
import { scanView } from './screens/scan';
import { openingView } from './screens/waiting';
import { createWorking } from './screens/working';
import type { CheckoutService, Session } from './service/answers';
import { explainRejection, showUsed, type UsedSession } from './used-session';
import type { Stage } from './stage';
import type { Texts } from './texts/en';

interface CheckoutDeps {
  readonly intentId: string;
  readonly stage: Stage;
  readonly service: CheckoutService;
  readonly newPace: () => Pace;
  readonly nowMs: () => number;
  /** Opens the app. */
  readonly goTo: (url: string) => void;
  /** For engineers: writes to the browser's console. */
  readonly warn: (text: string) => void;
}

/** Long enough to read one word before the app opens. */
const RESULT_SHOWN_MS = 1_500;

export class Checkout {
  readonly #deps: CheckoutDeps;
  #stored: StoredSession;
  /** Null when the page was reloaded after the confirmation. */
  #paid: Paid | null = null;
  #expiryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: CheckoutDeps, stored: StoredSession) {
    this.#deps = deps;
    this.#stored = stored;
  }

  /**
   * Starts at the beginning, or with the stored code if the payer had pressed pay before a reload.
   */
  async start(): Promise<void> {
    const { sentCode, partner } = this.#stored;
    this.#deps.stage.showPartner(partner);
    if (sentCode !== null) {
      this.#showEnding(await this.#confirm(sentCode, true));
      return;
    }
    const { stage, service, newPace } = this.#deps;
    stage.show(openingView(stage.announce));
    const { returnScheme } = this.#stored;
    const read = () => service.session(returnScheme);
    const answer = await requestUntilAnswered(read, { stage, pace: newPace() });
    if (answer.kind === 'open') this.#begin(answer.session);
    else await this.#explainRejection();
  }

  #begin(session: Session): void {
    const { nowMs, stage } = this.#deps;
    this.#store({ partner: session.partner });
    stage.showPartner(session.partner);
    this.#chooseScheme(session.returnSchemes);
    if (session.status !== 'created') {
      this.#showOutcome(usedOutcome(session.status));
      return;
    }
    if (!session.isOpen) {
      this.#showOutcome(openOutcome('paused'));
      return;
    }
    const lifeMs = session.expiresInSeconds * 1_000;
    const endsMs = nowMs() + lifeMs;
    this.#expiryTimer = setTimeout(() => {
      deleteSession(this.#deps.intentId);
      this.#showOutcome(rejectedOutcome('expired'));
    }, lifeMs);
    this.#scan({ session, leftMs: () => endsMs - nowMs() });
  }

  #chooseScheme(registered: readonly string[]): void {
    const { returnScheme } = this.#stored;
    const allowed = allowedScheme(returnScheme, registered);
    this.#store({ allowedScheme: allowed });
    if (returnScheme !== null && allowed === null) {
      this.#deps.warn(unregisteredWarning(returnScheme, registered));
    }
  }

  #scan(payable: Payable, problem?: (texts: Texts) => string): void {
    const { stage } = this.#deps;
    const onCode = (code: QrPayload) => this.#review(payable, code);
    const onCancel = () => this.#cancel(payable);
    const onClose = (why?: (texts: Texts) => string) => this.#scan(payable, why);
    const onCamera = () => stage.show(cameraView({ payable, onCode, onClose }));
    stage.show(scanView({ payable, problem, onCamera, onCode, onCancel }));
  }

  #review(payable: Payable, code: QrPayload): void {
    this.#deps.stage.show(
      reviewView(payable, code, {
        onConfirm: () => void this.#pay(payable, code),
        onScanAgain: () => this.#scan(payable),
        onCancel: () => this.#cancel(payable),
      }),
    );
  }

  /** Nothing was sent and the payment stays open, so the payer may come back to it. */
  #cancel(payable: Payable): void {
    const onBack = this.#wayBack('cancelled');
    const onResume = () => this.#scan(payable);
    this.#deps.stage.show(
      endingView({ message: ({ left }) => left, icon: 'notice', onBack, onResume }),
    );
    onBack?.();
  }

  async #pay(payable: Payable, { raw, merchant }: QrPayload): Promise<void> {
    this.#paid = { amountUsdCents: payable.session.amountUsdCents, merchant: merchant.name };
    const ending = await this.#confirm(raw, false);
    if (ending.kind === 'code_rejected') this.#scan(payable, ({ scan }) => scan.rejected.malformed);
    else this.#showEnding(ending);
  }

  async #confirm(code: string, isRepeat: boolean): Promise<Ending> {
    const { stage, service, newPace, intentId } = this.#deps;
    clearTimeout(this.#expiryTimer);
    this.#store({ sentCode: code });
    const onLeave = this.#wayBack('pending');
    const { announce } = stage;
    const { view, setProgress } = createWorking({ paid: () => this.#paid, announce, onLeave });
    stage.show(view);
    const onProgress = (progress: Progress) => {
      // Another device may have confirmed another code with this token.
      if (progress.known === 'unanswered') this.#paid &&= { ...this.#paid, merchant: null };
      setProgress(progress);
    };
    const ending = await confirmOnce({ service, pace: newPace(), code, isRepeat, onProgress });
    if (ending.kind === 'code_rejected') this.#store({ sentCode: null });
    else deleteSession(intentId);
    return ending;
  }

  #showEnding(ending: Ending): void {
    switch (ending.kind) {
      case 'settled':
        this.#showOutcome(settledOutcome(ending.status));
        return;
      case 'used':
        void showUsed(this.#usedSession(), ending.status);
        return;
      case 'open':
        this.#showOutcome(openOutcome(ending.because));
        return;
      case 'code_rejected':
      case 'session_rejected':
        this.#showOutcome(rejectedOutcome(this.#isExpired() ? 'expired' : 'invalid'));
    }
  }

  async #explainRejection(): Promise<void> {
    clearTimeout(this.#expiryTimer);
    await explainRejection(this.#usedSession());
    deleteSession(this.#deps.intentId);
  }

  #usedSession(): UsedSession {
    return {
      ...this.#deps,
      isExpired: () => this.#isExpired(),
      showOutcome: (outcome) => this.#showOutcome(outcome),
    };
  }

  #showOutcome({ options, status, ...outcome }: Outcome): void {
    const { stage, service, intentId } = this.#deps;
    const onBack = this.#wayBack(status);
    const isGoingBack = outcome.goesBack && onBack !== null;
    const receipt = outcome.isOfPayment ? { at: service.now(), reference: intentId } : null;
    const paid = outcome.isByCode ? this.#paid : null;
    stage.show(endingView({ ...options, paid, receipt, onBack, isGoingBack }));
    if (isGoingBack) setTimeout(onBack, RESULT_SHOWN_MS);
  }

  /** Opens the app again; null when no return scheme is allowed (decision 28). */
  #wayBack(status: ReturnStatus): (() => void) | null {
    const { intentId, goTo } = this.#deps;
    const { allowedScheme: scheme } = this.#stored;
    if (!scheme) return null;
    return () => goTo(returnUrl(scheme, intentId, status));
  }

  #isExpired(): boolean {
    return this.#stored.expiresAtMs <= this.#deps.service.now().getTime();
  }

  #store(change: Partial<StoredSession>): void {
    this.#stored = { ...this.#stored, ...change };
    storeSession(this.#deps.intentId, this.#stored);
  }
}
