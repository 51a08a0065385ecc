// Three ways to give the code: the camera, a photo, its text. A rejected code is explained here
// while the camera keeps scanning.
import { parseQrPayload, type QrPayload } from '../../../../src/domain/qr/payload';
import { isQrRejection, type QrRejection } from '../../../../src/domain/qr/rejection';
import { button, element } from '../dom';
import type { View } from '../stage';
import type { Texts } from '../texts/en';
import { amountBlock, type Payable } from './amount';
import { createCameraBox, type CodeReceiver } from './camera-box';
import { createPasteBox, createPhotoBox } from './code-boxes';

export interface ScanOptions {
  readonly payable: Payable;
  /** The service's rejection of the code before this one. */
  readonly problem?: 'malformed' | undefined;
  readonly onCode: (code: QrPayload) => void;
  readonly onCancel: () => void;
}

export function scanView({ payable, problem, onCode, onCancel }: ScanOptions): View {
  return (texts) => {
    const { corridor } = payable.session;
    const amount = amountBlock(payable, texts);
    const alert = element('p', { class: 'alert', role: 'alert' });
    // Reading a photo may end after the payer has left this screen.
    let hasLeft = false;
    const receiver: CodeReceiver = {
      receive(text) {
        const read = parseQrPayload(text.trim(), corridor);
        if (isQrRejection(read)) receiver.showMessage(explain(read, payable, texts));
        else if (!hasLeft) onCode(read);
      },
      showMessage(text) {
        // A screen reader would read the same text again for every picture of the camera.
        if (alert.textContent !== text) alert.textContent = text;
      },
    };
    if (problem !== undefined) receiver.showMessage(texts.scan.rejected[problem]);
    const camera = createCameraBox(texts, receiver);
    return {
      title: texts.scan.title,
      step: 'scan',
      body: [
        element('p', {}, texts.scan.country[corridor]),
        amount.node,
        alert,
        camera.node,
        createPhotoBox(texts, receiver),
        createPasteBox(texts, receiver),
        element('div', { class: 'actions' }, button(texts.cancel, 'quiet', onCancel)),
      ],
      leave: () => {
        hasLeft = true;
        amount.leave();
        camera.leave();
      },
    };
  };
}

function explain({ rejection }: QrRejection, { session }: Payable, { scan }: Texts): string {
  return rejection === 'wrong_corridor'
    ? scan.wrongCorridor[session.corridor]
    : scan.rejected[rejection];
}
