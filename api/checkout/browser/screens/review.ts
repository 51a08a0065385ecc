// The content of the code, before the payer confirms (decisions 20 and 32): the payee, and the
// amount in the code beside the amount that the payer pays. A card number is never shown.
import type { QrPayload } from '../../../../src/domain/qr/payload';
import { button, element } from '../dom';
import { formatCodeAmount, formatUsdCents } from '../money';
import type { View } from '../stage';
import type { Texts } from '../texts/en';
import { describePayee } from '../texts/payee';
import { amountBlock, type Payable } from './amount';

interface ReviewActions {
  readonly onConfirm: () => void;
  readonly onScanAgain: () => void;
  readonly onCancel: () => void;
}

export function reviewView(payable: Payable, code: QrPayload, actions: ReviewActions): View {
  return (texts) => {
    const amount = amountBlock(payable, texts);
    const sum = formatUsdCents(payable.session.amountUsdCents, texts.language);
    return {
      title: texts.review.title,
      step: 'review',
      body: [
        amount.node,
        details(code, texts),
        element(
          'div',
          { class: 'pay' },
          button(texts.review.confirm(sum), 'primary', actions.onConfirm),
        ),
        element(
          'div',
          { class: 'actions' },
          button(texts.review.again, 'secondary', actions.onScanAgain),
          button(texts.cancel, 'quiet', actions.onCancel),
        ),
      ],
      leave: amount.leave,
    };
  };
}

function details({ merchant, payee, currency, amountMinorUnits }: QrPayload, texts: Texts): Node {
  const { review, language } = texts;
  const inCode =
    amountMinorUnits === null
      ? review.codeAmountMissing
      : formatCodeAmount(amountMinorUnits, currency, language);
  return element(
    'dl',
    { class: 'details' },
    row(
      review.payTo,
      [merchant.name ?? review.nameless, merchant.city].filter((part) => part !== null).join(', '),
      merchant.name === null ? null : review.nameNote,
    ),
    row(review.payeeLabel, describePayee(payee, texts)),
    row(review.codeAmount, inCode, amountMinorUnits === null ? null : review.codeAmountNote),
  );
}

function row(label: string, value: string, note: string | null = null): Node {
  return element(
    'div',
    {},
    element('dt', {}, label),
    element('dd', {}, value, note === null ? null : element('span', { class: 'note' }, note)),
  );
}
