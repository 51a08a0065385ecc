// Three ways to give the code: the camera, a photo, its text.
import type { QrPayload } from '../../../../src/domain/qr/payload';
import { button, element } from '../dom';
import type { View } from '../stage';
import type { Texts } from '../texts/en';
import { amountBlock, type Payable } from './amount';
import { createPasteBox, createPhotoBox } from './code-boxes';
import { createReceiver } from './code-receiver';

export interface ScanOptions {
  readonly payable: Payable;
  /** Why the way before this did not work. */
  readonly problem?: ((texts: Texts) => string) | undefined;
  readonly onCamera: () => void;
  readonly onCode: (code: QrPayload) => void;
  readonly onCancel: () => void;
}

export function scanView({ payable, problem, onCamera, onCode, onCancel }: ScanOptions): View {
  return (texts) => {
    const { scan } = texts;
    const { corridor } = payable.session;
    const amount = amountBlock(payable, texts);
    // Reading a photo may end after the payer has left this screen.
    let hasLeft = false;
    const receiver = createReceiver(corridor, texts, (code) => {
      if (!hasLeft) onCode(code);
    });
    if (problem !== undefined) receiver.showMessage(problem(texts));
    return {
      title: scan.title,
      step: 'scan',
      body: [
        element('p', {}, scan.country[corridor]),
        amount.node,
        receiver.node,
        element(
          'div',
          { class: 'camera' },
          button(scan.cameraStart, 'primary', onCamera),
          element('p', { class: 'note' }, scan.cameraWhy),
        ),
        createPhotoBox(texts, receiver),
        createPasteBox(texts, receiver),
        element('div', { class: 'actions' }, button(texts.cancel, 'quiet', onCancel)),
      ],
      leave: () => {
        hasLeft = true;
        amount.leave();
      },
    };
  };
}
