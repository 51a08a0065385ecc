// The last screen of a visit: the outcome as far as it is known, and the way back to the app.
import { button, element, icon } from '../dom';
import type { View } from '../stage';
import type { Message, Texts } from '../texts/en';
import { paidBlock, type Paid } from './amount';

type Icon = Parameters<typeof icon>[0];

export interface EndingOptions {
  readonly message: (texts: Texts) => Message;
  /** A second message: the outcome of a payment whose link was used before. */
  readonly outcome?: (texts: Texts) => Message;
  readonly icon: Icon;
  /** The payment that the payer has confirmed here. */
  readonly paid?: Paid | null;
  /** Null when the page may not open the app. */
  readonly onBack: (() => void) | null;
  /** The page opens the app by itself. */
  readonly isGoingBack?: boolean;
  readonly onResume?: () => void;
}

export function endingView(options: EndingOptions): View {
  const { message, outcome, paid = null, onBack, isGoingBack = false, onResume } = options;
  return (texts) => {
    const { title, text } = message(texts);
    const second = outcome?.(texts);
    return {
      title,
      icon: icon(options.icon),
      body: [
        paid === null ? null : paidBlock(paid, texts),
        element('p', { class: 'lead' }, text),
        second === undefined
          ? null
          : element('p', { class: 'lead' }, element('strong', {}, second.title), ` ${second.text}`),
        isGoingBack ? element('p', { class: 'note' }, texts.backSoon) : null,
        onBack === null ? element('p', { class: 'note' }, texts.backBySelf) : null,
        element(
          'div',
          { class: 'actions' },
          onBack === null ? null : button(texts.back, 'primary', onBack),
          onResume === undefined ? null : button(texts.left.resume, 'secondary', onResume),
        ),
      ],
    };
  };
}
