// The amount on the screen: before the confirmation with the time left, afterwards with the
// merchant.
import { element } from '../dom';
import { formatUsdCents } from '../money';
import type { Session } from '../service/answers';
import type { Texts } from '../texts/en';

export interface Payable {
  readonly session: Session;
  /** Time left to confirm, by elapsed time on this device: its clock may be wrong. */
  readonly leftMs: () => number;
}

/** The confirmed payment. */
export interface Paid {
  readonly amountUsdCents: number;
  /** The name in the code; null without one, or when another code may be paid. */
  readonly merchant: string | null;
}

const READ_EVERY_MS = 5_000;

/** Counts the minutes down until `leave` is called. */
export function amountBlock({ session, leftMs }: Payable, texts: Texts) {
  const time = element('p', { class: 'note' });
  const showTimeLeft = () => {
    time.textContent = texts.minutesLeft(Math.max(1, Math.ceil(leftMs() / 60_000)));
  };
  showTimeLeft();
  const timer = setInterval(showTimeLeft, READ_EVERY_MS);
  return {
    node: element(
      'div',
      { class: 'amount' },
      element('div', {}, element('p', { class: 'label' }, texts.youPay), time),
      sum(session.amountUsdCents, texts),
    ),
    leave: () => clearInterval(timer),
  };
}

export function paidBlock({ amountUsdCents, merchant }: Paid, texts: Texts): Node {
  const name = merchant === null ? null : element('p', { class: 'label' }, merchant);
  return element('div', {}, sum(amountUsdCents, texts), name);
}

/** The style sheet shrinks a long amount to one line. */
function sum(cents: number, { language }: Texts): Node {
  const text = formatUsdCents(cents, language);
  const line = element('p', { class: 'sum' }, text);
  line.style.setProperty('--characters', String(text.length));
  return line;
}
