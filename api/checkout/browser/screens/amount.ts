// What the payer pays and how long it can be confirmed: the head of the screens before the confirmation.
import { element } from '../dom';
import { formatUsdCents } from '../money';
import type { Session } from '../service';
import type { Texts } from '../texts/texts';

export interface Payable {
  readonly session: Session;
  /** Until it can no longer be confirmed, by this device's own stopwatch: its clock may be wrong. */
  readonly leftMs: () => number;
}

const LOOK_EVERY_MS = 5_000;

/** Counts the minutes down until `leave` is called. */
export function amountBlock({ session, leftMs }: Payable, texts: Texts) {
  const time = element('p', { class: 'note' });
  const tell = () => {
    time.textContent = texts.minutesLeft(Math.max(1, Math.ceil(leftMs() / 60_000)));
  };
  tell();
  const timer = setInterval(tell, LOOK_EVERY_MS);
  return {
    node: element(
      'div',
      { class: 'amount' },
      element('p', { class: 'label' }, texts.youPay),
      element('p', { class: 'sum' }, formatUsdCents(session.amountUsdCents, texts.language)),
      time,
    ),
    leave: () => {
      clearInterval(timer);
    },
  };
}
