// The ways to give the code. A phone offers its camera first, a computer a picture.
import type { QrPayload } from '../../../../src/domain/qr/payload';
import { button, element } from '../dom';
import type { View } from '../stage';
import type { Texts } from '../texts/en';
import { amountBlock, type Payable } from './amount';
import { createPasteBox, createPictureBox } from './code-boxes';
import { createReceiver } from './code-receiver';

/** A computer: its pictures come from files and the clipboard. */
const DESK = '(min-width: 40rem) and (hover: hover) and (pointer: fine)';

interface ScanOptions {
  readonly payable: Payable;
  /** Why the way before this did not work. */
  readonly problem?: ((texts: Texts) => string) | undefined;
  readonly onCamera: () => void;
  readonly onCode: (code: QrPayload) => void;
  readonly onCancel: () => void;
}

export function scanView(options: ScanOptions): View {
  const { payable, problem, onCamera, onCode, onCancel } = options;
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
    const isDesk = matchMedia(DESK).matches;
    const picture = createPictureBox(texts, receiver, isDesk);
    const camera = cameraBox(texts, isDesk ? 'secondary' : 'primary', onCamera);
    return {
      title: scan.title,
      step: 'scan',
      body: [
        element('p', {}, scan.country[corridor]),
        amount.node,
        receiver.node,
        ...(isDesk ? [picture.node, camera] : [camera, picture.node]),
        createPasteBox(texts, receiver),
        element('div', { class: 'actions' }, button(texts.cancel, 'quiet', onCancel)),
      ],
      leave: () => {
        hasLeft = true;
        amount.leave();
        picture.leave();
      },
    };
  };
}

function cameraBox({ scan }: Texts, kind: 'primary' | 'secondary', onStart: () => void): Node {
  const why = element('p', { class: 'note' }, scan.cameraWhy);
  return element('div', { class: 'camera' }, button(scan.cameraStart, kind, onStart), why);
}
