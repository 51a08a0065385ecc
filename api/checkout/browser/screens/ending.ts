// The last screen of a visit: the outcome as far as it is known, what the payer can do, and the way
// back to the app.
import { button, element, icon } from '../dom';
import type { OutcomeView } from '../outcomes';
import type { View } from '../stage';
import type { Texts } from '../texts/en';
import { paidBlock, type Paid } from './amount';

interface EndingOptions extends OutcomeView {
  /** The payment that the payer has confirmed here. */
  readonly paid?: Paid | null;
  /** What the payer gives to support. */
  readonly receipt?: Receipt | null;
  /** Null when the page may not open the app. */
  readonly onBack: (() => void) | null;
  /** The page opens the app by itself. */
  readonly isGoingBack?: boolean;
  readonly onResume?: () => void;
}

interface Receipt {
  /** When the service gave the status. */
  readonly at: Date;
  readonly reference: string;
}

export function endingView(options: EndingOptions): View {
  const { message, note, paid = null, receipt = null, isNotCharged = false } = options;
  return (texts) => {
    const { title, text, next } = message(texts);
    return {
      title,
      ...(receipt !== null && { step: 'result' }),
      icon: icon(options.icon),
      layout: 'centred',
      body: [
        paid === null ? null : paidBlock(paid, texts),
        element('p', {}, text),
        isNotCharged ? element('p', {}, element('strong', {}, texts.notCharged)) : null,
        note === undefined ? null : element('p', { class: 'note' }, note(texts)),
        receipt === null ? null : receiptBlock(receipt, texts),
        element('h2', {}, texts.whatNext),
        element('p', {}, next),
        ...wayOn(options, texts),
      ],
    };
  };
}

/** The buttons stay in view; the note above them may be scrolled away. */
function wayOn(options: EndingOptions, texts: Texts): readonly (Node | null)[] {
  const { onBack, isGoingBack = false, onResume } = options;
  const note = onBack === null ? texts.backBySelf : isGoingBack ? texts.backSoon : null;
  return [
    note === null ? null : element('p', { class: 'note' }, note),
    element(
      'div',
      { class: 'actions' },
      onBack === null ? null : button(texts.back, 'primary', onBack),
      onResume === undefined ? null : button(texts.left.resume, 'secondary', onResume),
    ),
  ];
}

function receiptBlock({ at, reference }: Receipt, { language, ...texts }: Texts): Node {
  // In the payer's language and time zone.
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  return element(
    'dl',
    { class: 'receipt' },
    element('dt', {}, texts.time),
    element('dd', {}, time.format(at)),
    element('dt', {}, texts.reference),
    element('dd', { class: 'reference' }, reference),
  );
}
