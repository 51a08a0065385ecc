// Every screen at which the page has nothing more to do: what is known, and the way back to the app.
import { button, element, icon } from '../dom';
import type { View } from '../stage';
import type { Message, Texts } from '../texts/en';
import { paidBlock, type Paid } from './amount';

type Icon = Parameters<typeof icon>[0];

export interface EndingOptions {
  readonly message: (texts: Texts) => Message;
  /** A second message: what became of a payment whose link was used before. */
  readonly outcome?: (texts: Texts) => Message;
  readonly icon: Icon;
  /** What the payer has confirmed here. */
  readonly paid?: Paid | null;
  /** Null where there is no way back that may be followed. */
  readonly onBack: (() => void) | null;
  /** The page goes back by itself. */
  readonly isGoingBack?: boolean;
  readonly onResume?: () => void;
}

export function endingView(options: EndingOptions): View {
  const { message, outcome, paid = null, onBack, isGoingBack = false, onResume } = options;
  return (texts) => {
    const { title, text } = message(texts);
    const told = outcome?.(texts);
    return {
      title,
      icon: icon(options.icon),
      body: [
        paid === null ? null : paidBlock(paid, texts),
        element('p', { class: 'lead' }, text),
        told === undefined
          ? null
          : element('p', { class: 'lead' }, element('strong', {}, told.title), ` ${told.text}`),
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
