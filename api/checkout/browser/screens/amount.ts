// What the payer pays: before the confirmation with the time that is left for it, afterwards with whom it goes to.
import { element } from '../dom';
import { formatUsdCents } from '../money';
import type { Session } from '../service/answers';
import type { Texts } from '../texts/en';

export interface Payable {
  readonly session: Session;
  /** Until it can no longer be confirmed, by this device's own stopwatch: its clock may be wrong. */
  readonly leftMs: () => number;
}

/** What was confirmed. */
export interface Paid {
  readonly amountUsdCents: number;
  /** As the code has it. */
  readonly merchant: string | null;
}

const READ_EVERY_MS = 5_000;

/** Counts the minutes down until `leave` is called. */
export function amountBlock({ session, leftMs }: Payable, texts: Texts) {
  const time = element('p', { class: 'note' });
  const tell = () => {
    time.textContent = texts.minutesLeft(Math.max(1, Math.ceil(leftMs() / 60_000)));
  };
  tell();
  const timer = setInterval(tell, READ_EVERY_MS);
  return {
    node: element(
      'div',
      { class: 'amount' },
      element('p', { class: 'label' }, texts.youPay),
      sum(session.amountUsdCents, texts),
      time,
    ),
    leave: () => {
      clearInterval(timer);
    },
  };
}

export function paidBlock({ amountUsdCents, merchant }: Paid, texts: Texts): Node {
  const name = merchant === null ? null : element('p', { class: 'label' }, merchant);
  return element('div', {}, sum(amountUsdCents, texts), name);
}

/** Broken between currency and number where it must be, never within the number. */
function sum(cents: number, { language }: Texts): Node {
  return element('p', { class: 'sum' }, formatUsdCents(cents, language).replaceAll('\u00a0', ' '));
}
