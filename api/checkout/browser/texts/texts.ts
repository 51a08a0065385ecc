// Everything the page says, in one language. A language that lacks a text does not compile.
import type { QrRefusalCode } from '../../../../src/domain/qr-refusal';
import type { QrPayee } from '../../../../src/domain/qr-schemes';
import type { Corridor } from '../../../../src/domain/corridor';

export type Language = 'en' | 'th' | 'vi';

export interface Texts {
  readonly language: Language;
  readonly languageNav: string;
  readonly offline: string;
  readonly online: string;

  readonly opening: { readonly title: string; readonly slow: string };
  readonly unreachable: { readonly title: string; readonly text: string; readonly retry: string };

  readonly youPay: string;
  readonly minutesLeft: (minutes: number) => string;
  readonly cancel: string;

  readonly scan: {
    readonly title: string;
    readonly country: Readonly<Record<Corridor, string>>;
    readonly cameraWhy: string;
    readonly cameraStart: string;
    readonly cameraStarting: string;
    readonly cameraOn: string;
    readonly cameraStop: string;
    readonly cameraRefused: string;
    readonly cameraMissing: string;
    readonly cameraBusy: string;
    readonly scannerMissing: string;
    readonly photo: string;
    readonly photoReading: string;
    readonly photoWithoutCode: string;
    readonly photoUnreadable: string;
    readonly paste: string;
    readonly pasteLabel: string;
    readonly pasteCheck: string;
    readonly pasteEmpty: string;
    readonly refused: Readonly<Record<Exclude<QrRefusalCode, 'wrong_corridor'>, string>>;
    readonly wrongCorridor: Readonly<Record<Corridor, string>>;
  };

  readonly review: {
    readonly title: string;
    readonly payTo: string;
    readonly nameless: string;
    readonly nameNote: string;
    readonly payee: (payee: QrPayee) => string;
    readonly payeeLabel: string;
    readonly codeAmount: string;
    readonly codeAmountNote: string;
    readonly codeAmountMissing: string;
    readonly confirm: (amount: string) => string;
    readonly again: string;
  };

  readonly working: {
    readonly title: string;
    readonly steps: readonly [sent: string, confirmed: string, paid: string];
    readonly done: string;
    readonly current: string;
    readonly sent: string;
    readonly unanswered: string;
    readonly unansweredOffline: string;
    readonly confirmed: string;
    readonly confirmedOutOfReach: string;
    readonly slow: string;
    readonly leave: string;
  };

  readonly result: Readonly<
    Record<
      | 'captured'
      | 'failed'
      | 'cancelled'
      | 'expired'
      | 'refunded'
      | 'pending'
      | 'unknown'
      | 'otherCode'
      | 'closed',
      Message
    >
  >;
  readonly session: Readonly<
    Record<'invalid' | 'expired' | 'timeOver' | 'usedPending' | 'usedSettled', Message>
  >;
  /** After "cancel": nothing was sent. */
  readonly left: Message & { readonly resume: string };
  readonly back: string;
  readonly backBySelf: string;
  readonly backSoon: string;
}

export interface Message {
  readonly title: string;
  readonly text: string;
}
