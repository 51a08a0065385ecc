// Three ways to hand over the code: the camera, a photo, its text. What is wrong with a code is said here, and the camera
// goes on looking.
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
  /** What the service said of the code before. */
  readonly problem?: 'malformed' | undefined;
  readonly onCode: (code: QrPayload) => void;
  readonly onCancel: () => void;
}

export function scanView({ payable, problem, onCode, onCancel }: ScanOptions): View {
  return (texts) => {
    const { corridor } = payable.session;
    const amount = amountBlock(payable, texts);
    const alert = element('p', { class: 'alert', role: 'alert' });
    // A photo may be read to its end when the payer has gone on.
    let isGone = false;
    const taker: CodeReceiver = {
      take(text) {
        const read = parseQrPayload(text.trim(), corridor);
        if (isQrRejection(read)) taker.tell(explain(read, payable, texts));
        else if (!isGone) onCode(read);
      },
      tell(text) {
        // The same again would be read aloud for every picture that the camera takes.
        if (alert.textContent !== text) alert.textContent = text;
      },
    };
    if (problem !== undefined) taker.tell(texts.scan.refused[problem]);
    const camera = createCameraBox(texts, taker);
    return {
      title: texts.scan.title,
      body: [
        amount.node,
        element('p', {}, texts.scan.country[corridor]),
        alert,
        camera.node,
        createPhotoBox(texts, taker),
        createPasteBox(texts, taker),
        element('div', { class: 'actions' }, button(texts.cancel, 'quiet', onCancel)),
      ],
      leave: () => {
        isGone = true;
        amount.leave();
        camera.leave();
      },
    };
  };
}

function explain({ rejection }: QrRejection, { session }: Payable, { scan }: Texts): string {
  return rejection === 'wrong_corridor'
    ? scan.wrongCorridor[session.corridor]
    : scan.refused[rejection];
}
